import { sqlServerTarget } from '../targets/sqlserver.ts';
import { casesFor, setCases, writeCases } from './cases.ts';
import { runConformance } from './suite.ts';
import { runWrites } from './write-suite.ts';

await runConformance(sqlServerTarget, casesFor(sqlServerTarget), setCases);
await runWrites(sqlServerTarget, writeCases);
