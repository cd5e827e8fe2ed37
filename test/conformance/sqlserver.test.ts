import { sqlServerTarget } from '../targets/sqlserver.ts';
import { loadCases } from './cases.ts';
import { runConformance } from './suite.ts';
import { runWrites } from './write-suite.ts';

const { reads, sequences, writes } = await loadCases(sqlServerTarget);
await runConformance(sqlServerTarget, reads, sequences);
await runWrites(sqlServerTarget, writes);
