import { vi } from 'vitest';
import { loadCases } from '../conformance/cases.ts';
import { runConformance } from '../conformance/suite.ts';
import { runWrites } from '../conformance/write-suite.ts';
import { changePg, changeTedious } from '../database/unknown-drivers.ts';
import { postgresTarget } from '../targets/postgres.ts';
import { sqlServerTarget } from '../targets/sqlserver.ts';

// What the drivers read by themselves is answered as what the gateway reads.
changePg();
changeTedious();
vi.resetModules();

const files = ['formats.case.ts', 'collections.case.ts', 'expand.case.ts', 'compute.case.ts'];
for (const target of [postgresTarget, sqlServerTarget]) {
  const { reads, sequences, writes } = await loadCases(target, [
    ...files,
    'distinct.case.ts',
    'writes-values.case.ts',
  ]);
  await runConformance(target, reads, sequences);
  await runWrites(target, writes);
}
