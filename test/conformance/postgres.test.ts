import { postgresTarget } from '../targets/postgres.ts';
import { casesFor, setCases, writeCases } from './cases.ts';
import { runConformance } from './suite.ts';
import { runWrites } from './write-suite.ts';

await runConformance(postgresTarget, casesFor(postgresTarget), setCases);
await runWrites(postgresTarget, writeCases);
