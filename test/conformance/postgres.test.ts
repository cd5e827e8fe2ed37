import { postgresTarget } from '../targets/postgres.ts';
import { cases, writeCases } from './cases.ts';
import { runConformance } from './suite.ts';
import { runWrites } from './write-suite.ts';

await runConformance(postgresTarget, cases);
await runWrites(postgresTarget, writeCases);
