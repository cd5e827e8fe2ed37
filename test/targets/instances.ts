import fc from 'fast-check';
import type { Config } from '../../src/config/config.ts';
import { seed } from '../property/seed.ts';
import { type Gateway, startGateway } from './gateway.ts';
import type { StateStoreTarget } from './state-store.ts';

/** How many gateways serve together. */
const INSTANCES = 3;

/** The settings of gateways that keep their state together. @param prefix another one for each API */
export function sharedSettings(
  { settings }: StateStoreTarget,
  prefix = 'entitygate',
): Pick<Config, 'state' | 'stampSecret'> {
  const { url, timeoutSeconds } = settings;
  return { state: { url, prefix, timeoutSeconds }, stampSecret: 'the secret of all gateways' };
}

/** Starts gateways that keep their state together, and sends each request to one of them at random. */
export function startingInstances(store: StateStoreTarget): typeof startGateway {
  let apis = 0;
  const turns = fc.sample(fc.nat(INSTANCES - 1), { numRuns: 10_000, seed });
  let requests = 0;
  return async (database, settings, shared, clock) => {
    apis += 1;
    const together = { ...settings, ...sharedSettings(store, `api${apis}`) };
    const [first, ...others] = await Promise.all(
      Array.from({ length: INSTANCES }, () => startGateway(database, together, shared, clock)),
    );
    if (first === undefined) throw new Error('no gateway was started');
    const all: readonly Gateway[] = [first, ...others];
    return {
      ...first,
      get: (url, options) => {
        requests += 1;
        const gateway = all[turns[requests % turns.length] ?? 0] ?? first;
        return gateway.get(url, options);
      },
      takeStatements: () => all.flatMap((one) => one.takeStatements()),
      takeCalls: () => all.flatMap((one) => one.takeCalls()),
      takeChanges: () => all.flatMap((one) => one.takeChanges()),
      configure: (changed) => {
        for (const one of all) one.configure(changed);
      },
      close: async () => {
        await Promise.all(all.map((one) => one.close()));
      },
    };
  };
}
