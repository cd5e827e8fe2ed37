import fc from 'fast-check';
import type { Config } from '../../src/config/config.ts';
import { seed } from '../property/seed.ts';
import { type Gateway, startGateway } from './gateway.ts';
import type { StateStoreTarget } from './state-store.ts';

/** How many gateways serve together. */
const INSTANCES = 3;

/** After so many requests one of them ends, and another one starts. */
const LIFE = 100;

/** The settings of gateways that keep their state together. @param prefix another one for each API */
export function sharedSettings(
  { settings }: StateStoreTarget,
  prefix = 'entitygate',
): Pick<Config, 'state' | 'stampSecret'> {
  const { url, timeoutSeconds } = settings;
  return { state: { url, prefix, timeoutSeconds }, stampSecret: 'the secret of all gateways' };
}

/**
 * Starts gateways that keep their state together, and sends each request to one of them at random. One that was asked for a lock stays, because locks end
 * with it; others are replaced now and then.
 */
export function startingInstances(store: StateStoreTarget): typeof startGateway {
  let apis = 0;
  const turns = fc.sample(fc.nat(INSTANCES - 1), { numRuns: 10_000, seed });
  let requests = 0;
  return async (database, settings, shared, clock) => {
    apis += 1;
    const together = { ...settings, ...sharedSettings(store, `api${apis}`) };
    const start = (): Promise<Gateway> => startGateway(database, together, shared, clock);
    const all = await Promise.all(Array.from({ length: INSTANCES }, start));
    const staying = new Set<number>();
    const changes: Partial<Config>[] = [];
    const at = (index: number): Gateway => {
      const gateway = all[index];
      if (gateway === undefined) throw new Error(`there is no gateway ${index}`);
      return gateway;
    };
    const replace = async (index: number): Promise<void> => {
      await at(index).close();
      const gateway = await start();
      for (const changed of changes) gateway.configure(changed);
      all[index] = gateway;
    };
    return {
      ...at(0),
      get: async (url, options) => {
        requests += 1;
        const index = turns[requests % turns.length] ?? 0;
        if (requests % LIFE === 0 && !staying.has(index)) await replace(index);
        if (url.includes('$lock')) staying.add(index);
        return at(index).get(url, options);
      },
      takeStatements: () => all.flatMap((one) => one.takeStatements()),
      takeCalls: () => all.flatMap((one) => one.takeCalls()),
      takeChanges: () => all.flatMap((one) => one.takeChanges()),
      configure: (changed) => {
        changes.push(changed);
        for (const one of all) one.configure(changed);
      },
      close: async () => {
        await Promise.all(all.map((one) => one.close()));
      },
    };
  };
}
