import { afterAll, beforeAll, describe, test } from 'vitest';
import type { startGateway } from '../targets/gateway.ts';
import { postgresTarget } from '../targets/postgres.ts';
import { startingInstances } from '../targets/instances.ts';
import { noStateStore, openStateStore, type StateStoreTarget } from '../targets/state-store.ts';
import { loadCases } from './cases.ts';
import { runConformance } from './suite.ts';

/** The cases of what gateways keep between requests. */
const FILES = [
  'clients.cases',
  'images.cases',
  'locks.cases',
  'refused-sets.cases',
  'sets-changed.cases',
  'sets.cases',
  'writes-others.case.ts',
  'writes.cases',
];

describe('three gateways with one state', async () => {
  if (noStateStore !== null) {
    test.skip(noStateStore, () => undefined);
    return;
  }
  let store: StateStoreTarget;
  let starting: typeof startGateway;
  beforeAll(async () => {
    store = await openStateStore();
    starting = startingInstances(store);
  });
  afterAll(() => store.close());
  await runConformance(postgresTarget, await loadCases(postgresTarget, FILES), (...given) =>
    starting(...given),
  );
});
