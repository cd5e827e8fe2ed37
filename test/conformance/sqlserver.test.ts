import { sqlServerTarget } from '../targets/sqlserver.ts';
import { casesFor, writeCases } from './cases.ts';
import { runConformance } from './suite.ts';
import { runWrites } from './write-suite.ts';

await runConformance(sqlServerTarget, casesFor(sqlServerTarget));
await runWrites(sqlServerTarget, writeCases);
