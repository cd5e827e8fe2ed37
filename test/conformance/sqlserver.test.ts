import { sqlServerTarget } from '../targets/sqlserver.ts';
import { cases } from './cases.ts';
import { runConformance } from './suite.ts';

await runConformance(sqlServerTarget, cases);
