import { sqlServerTarget } from '../targets/sqlserver.ts';
import { cases, writeCases } from './cases.ts';
import { runConformance } from './suite.ts';
import { runWrites } from './write-suite.ts';

await runConformance(sqlServerTarget, cases);
await runWrites(sqlServerTarget, writeCases);
