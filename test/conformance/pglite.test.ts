import { pgliteTarget } from '../targets/pglite.ts';
import { cases } from './cases.ts';
import { runConformance } from './suite.ts';

await runConformance(pgliteTarget, cases);
