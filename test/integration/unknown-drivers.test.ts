import { expect, test } from 'vitest';
import { loadCases } from '../conformance/cases.ts';
import { runConformance } from '../conformance/suite.ts';
import { runWrites } from '../conformance/write-suite.ts';
import { changePg, changeTedious } from '../database/unknown-drivers.ts';
import { postgresTarget } from '../targets/postgres.ts';
import { sqlServerTarget } from '../targets/sqlserver.ts';

// What the drivers read by themselves is answered as what the gateway reads.
changePg();
changeTedious();

const files = ['formats.case.ts', 'compute.case.ts', 'distinct.case.ts', 'writes-values.case.ts'];
for (const target of [postgresTarget, sqlServerTarget]) {
  const { reads, sequences, writes } = await loadCases(target, files);
  await runConformance(target, reads, sequences);
  await runWrites(target, writes);
}

test('the drivers read rows themselves', async () => {
  const { clientClass } = await import('../../src/database/postgres/driver-internals.ts');
  const { checkDriver } = await import('../../src/database/sqlserver/driver-check.ts');
  expect(clientClass(() => undefined).name).toBe('PlainClient');
  expect(await checkDriver(() => undefined)).toBe(false);
});
