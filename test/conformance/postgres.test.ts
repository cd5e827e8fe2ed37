import { postgresTarget } from '../targets/postgres.ts';
import { casesFor, writeCases } from './cases.ts';
import { runConformance } from './suite.ts';
import { runWrites } from './write-suite.ts';

await runConformance(postgresTarget, casesFor(postgresTarget));
await runWrites(postgresTarget, writeCases);
