import { pgliteTarget } from '../targets/pglite.ts';
import { loadCases } from './cases.ts';
import { runConformance } from './suite.ts';
import { runWrites } from './write-suite.ts';

const { reads, sequences, writes } = await loadCases(pgliteTarget);
await runConformance(pgliteTarget, reads, sequences);
await runWrites(pgliteTarget, writes);
