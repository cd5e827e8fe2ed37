import { afterAll, expect, test, vi } from 'vitest';
import { changePg, changeTedious } from '../database/unknown-drivers.ts';

// What the drivers read by themselves is answered as what the gateway reads. Modules of other files of this worker have taken the drivers as they are,
// and those of this file shall not be left to others.
vi.resetModules();
const undone = [changePg(), changeTedious(), vi.resetModules];
afterAll(() => {
  for (const undo of undone) undo();
});

const { loadCases } = await import('../conformance/cases.ts');
const { runConformance } = await import('../conformance/suite.ts');
const { postgresTarget } = await import('../targets/postgres.ts');
const { sqlServerTarget } = await import('../targets/sqlserver.ts');

const files = [
  'formats.cases',
  'collections.case.ts',
  'compute.cases',
  'distinct.cases',
  'writes.cases',
];
for (const target of [postgresTarget, sqlServerTarget]) {
  await runConformance(target, await loadCases(target, files));
}

test('the drivers read rows themselves', async () => {
  const { clientClass } = await import('../../src/database/postgres/driver-internals.ts');
  const { checkDriver } = await import('../../src/database/sqlserver/driver-check.ts');
  expect(clientClass(() => undefined).name).toBe('PlainClient');
  expect(await checkDriver(() => undefined)).toBe(false);
});
