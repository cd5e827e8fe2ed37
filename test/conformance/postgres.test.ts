import { postgresTarget } from '../targets/postgres.ts';
import { loadCases } from './cases.ts';
import { runConformance } from './suite.ts';
import { runWrites } from './write-suite.ts';

const { reads, sequences, writes } = await loadCases(postgresTarget);
await runConformance(postgresTarget, reads, sequences);
await runWrites(postgresTarget, writes);
