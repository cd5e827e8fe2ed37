import { pgliteTarget } from '../targets/pglite.ts';
import { casesFor, setCases, writeCases } from './cases.ts';
import { runConformance } from './suite.ts';
import { runWrites } from './write-suite.ts';

await runConformance(pgliteTarget, casesFor(pgliteTarget), setCases);
await runWrites(pgliteTarget, writeCases);
