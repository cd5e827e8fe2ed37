import { pgliteTarget } from '../targets/pglite.ts';
import { cases, writeCases } from './cases.ts';
import { runConformance } from './suite.ts';
import { runWrites } from './write-suite.ts';

await runConformance(pgliteTarget, cases);
await runWrites(pgliteTarget, writeCases);
