import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { seed } from '../property/seed.ts';
import type { Gateway } from '../targets/gateway.ts';
import type { CuttingProxy } from './cutting-proxy.ts';
import { onEngines } from './shapes/engines.ts';
import { sample } from './shapes/sample.ts';

/** Entities of one history; the next one has others, which nobody holds. */
const KEYS = 3;

/** Clients of each gateway. */
const CLIENTS = 3;

type Deed = 'lock' | 'unlock' | 'write';

interface Step {
  readonly deed: Deed;
  readonly key: number;
}

const step = (first: number): fc.Arbitrary<Step> =>
  fc.record({
    deed: fc.constantFrom<Deed>('lock', 'lock', 'unlock', 'write', 'write'),
    key: fc.integer({ min: first, max: first + KEYS - 1 }),
  });

/** Something that was done with success, from before it was asked for until after it was answered. */
interface Done extends Step {
  readonly client: number;
  readonly from: number;
  readonly to: number;
}

/** A time in which nobody but one client can have done anything with an entity. */
interface Hold {
  readonly client: number;
  readonly key: number;
  readonly from: number;
  readonly to: number;
}

onEngines(
  'random histories of locks over two gateways',
  { ...sample, settings: { requireStamp: false } },
  (served) => {
    let proxy: CuttingProxy;
    let gateways: readonly Gateway[];
    beforeAll(async () => {
      const behind = await served.startBehindProxy();
      ({ proxy } = behind);
      gateways = [behind.gateway, served.gateway];
    });

    test.for([false, true])(
      'no two clients hold a lock, and nobody writes past one (killed: %s)',
      async (isKilled, { skip }) => {
        if (served.isBabelfish) {
          skip(
            'a session of Babelfish ends the server when it is refused a fifth application lock',
          );
        }
        const histories = fc.sample(
          fc.array(step(isKilled ? 21 : 11), { minLength: 12, maxLength: 16 }),
          {
            seed: seed + (isKilled ? 1 : 0),
            numRuns: CLIENTS * 2,
          },
        );
        const done: Done[] = [];
        const clients = histories.map((history, client) =>
          play(history, client, gateways[client % 2], done),
        );
        let killed = Infinity;
        if (isKilled) {
          await pause(300);
          killed = performance.now();
          proxy.cut('now');
        }
        await Promise.all(clients);
        expect(done.filter(({ deed }) => deed === 'lock').length).toBeGreaterThan(0);
        // The locks of the first gateway's clients are gone with its connections.
        const holds = holdsOf(done, (client) => (client % 2 === 0 ? killed : Infinity));
        const intruders = done.filter(({ client, key, deed, from, to }) =>
          holds.some(
            (hold) =>
              deed !== 'unlock' &&
              hold.key === key &&
              hold.client !== client &&
              from > hold.from &&
              to < hold.to,
          ),
        );
        expect({ seed, intruders }).toEqual({ seed, intruders: [] });
      },
    );
  },
  ['pglite'],
);

/** One client, which does one thing after the other. */
async function play(
  history: readonly Step[],
  client: number,
  gateway: Gateway | undefined,
  done: Done[],
): Promise<void> {
  if (gateway === undefined) return;
  let headers: Record<string, string> = {};
  for (const { deed, key } of history) {
    const from = performance.now();
    const answer =
      deed === 'write'
        ? await gateway.get('/rest/Employee?$method=update', {
            method: 'POST',
            headers,
            body: JSON.stringify({ __KEY: key, note: `${client} at ${from}` }),
          })
        : await gateway.get(`/rest/Employee(${key})?$lock=${deed === 'lock'}`, { headers });
    const session = answer.headers['entitygate-session'];
    if (typeof session === 'string') headers = { 'entitygate-session': session };
    const isDone =
      deed === 'write'
        ? answer.status === 200
        : (answer.body as { result?: boolean }).result === true;
    if (isDone) done.push({ deed, key, client, from, to: performance.now() });
  }
}

/** From each lock that was had until its client asked to be rid of it, or its gateway lost it. */
function holdsOf(done: readonly Done[], lostAt: (client: number) => number): Hold[] {
  return done
    .filter(({ deed }) => deed === 'lock')
    .map(({ client, key, from, to }) => {
      const given = done.find(
        (other) =>
          other.deed === 'unlock' &&
          other.client === client &&
          other.key === key &&
          other.from >= to,
      );
      const lost = from < lostAt(client) ? lostAt(client) : Infinity;
      return { client, key, from: to, to: Math.min(given?.from ?? Infinity, lost) };
    });
}
