import { pgliteTarget } from '../targets/pglite.ts';
import { loadCases } from './cases.ts';
import { runConformance } from './suite.ts';

await runConformance(pgliteTarget, await loadCases(pgliteTarget));
