import { postgresTarget } from '../targets/postgres.ts';
import { loadCases } from './cases.ts';
import { runConformance } from './suite.ts';

await runConformance(postgresTarget, await loadCases(postgresTarget));
