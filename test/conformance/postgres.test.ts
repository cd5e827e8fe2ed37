import { postgresTarget } from '../targets/postgres.ts';
import { cases } from './cases.ts';
import { runConformance } from './suite.ts';

await runConformance(postgresTarget, cases);
