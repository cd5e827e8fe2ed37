import { sqlServerTarget } from '../targets/sqlserver.ts';
import { loadCases } from './cases.ts';
import { runConformance } from './suite.ts';

await runConformance(sqlServerTarget, await loadCases(sqlServerTarget));
