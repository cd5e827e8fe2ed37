import type { Chance } from '../../../../fixtures/legacy/random.ts';
import { GRADES, ROWS } from '../data.ts';
import { CONNECTIONS, type Audience, type Case } from './case.ts';
import type { Sent } from '../load.ts';

/** How many entities are created or changed by one request. */
const MANY = 1000;

/** How many connections write many at once. */
const WRITERS = 8;

/** Both sides are sent the same body. */
function posted(audience: Audience, dataclass: string, path: string, body: unknown): Sent {
  return {
    method: 'POST',
    path: audience === 'gateway' ? `/rest/${dataclass}` : path,
    body: JSON.stringify(body),
  };
}

function newEntries(first: number, random: Chance): readonly object[] {
  return Array.from({ length: MANY }, (_item, index) => ({
    ID: first + index,
    product: `Product ${random.int(0, 699)}`,
    quantity: random.int(1, 20),
    price: random.int(0, 499) + 0.75,
    employee: { __KEY: String(random.int(1, ROWS.employee)) },
  }));
}

/**
 * Requests that change. The cases remember what they have sent: stamps that entities have, and keys that are taken.
 * @param shared whether both sides change the same database
 */
export function writeCases(shared: boolean): readonly Case[] {
  const ours = new Map<number, number>();
  const theirs = shared ? ours : new Map<number, number>();
  const ourLines = new Map<number, number>();
  const theirLines = shared ? ourLines : new Map<number, number>();
  let taken = 1_000_000;
  const entries = { gateway: new Map<number, number>(), byHand: new Map<number, number>() };
  return [
    {
      name: 'update of one with its stamp',
      isOrdered: true,
      varies: /"(?:__STAMP|grade)":\d+/g,
      next: (random, connection, audience) => {
        const own = Math.floor(ROWS.employee / CONNECTIONS);
        const id = 1 + connection + CONNECTIONS * random.int(0, own - 1);
        const stamps = audience === 'gateway' ? ours : theirs;
        const stamp = stamps.get(id) ?? 1;
        // Another one each time: what does not change anything is not an update.
        const grade = GRADES + stamp;
        stamps.set(id, stamp + 1);
        return posted(audience, 'Employee', '/employees', {
          __KEY: String(id),
          __STAMP: stamp,
          grade,
        });
      },
    },
    {
      name: 'insert of 1,000',
      isOrdered: true,
      atMost: WRITERS,
      varies: /\d{7,}/g,
      next: (random, _, audience) => {
        const first = taken;
        taken += MANY;
        return posted(audience, 'Entry', '/entries', newEntries(first, random));
      },
    },
    {
      name: 'insert, then delete of 1,000',
      isOrdered: true,
      atMost: WRITERS,
      varies: /\d{7,}/g,
      next: (random, connection, audience) => {
        const own = connection % WRITERS;
        const inserted = entries[audience].get(own);
        if (inserted === undefined) {
          const first = taken;
          taken += MANY;
          entries[audience].set(own, first);
          return posted(audience, 'Entry', '/entries', newEntries(first, random));
        }
        entries[audience].delete(own);
        const body = Array.from({ length: MANY }, (_item, index) => ({
          __KEY: String(inserted + index),
          __STAMP: 1,
        }));
        return posted(audience, 'Entry?$method=delete', '/entries/delete', body);
      },
    },
    {
      name: 'update of 1,000',
      isOrdered: true,
      atMost: WRITERS,
      varies: /"(?:__STAMP|price)":[\d.]+/g,
      next: (random, connection, audience) => {
        const own = Math.floor(ROWS.orderLine / WRITERS);
        const first = 1 + (connection % WRITERS) * own + random.int(0, own - MANY - 1);
        const stamps = audience === 'gateway' ? ourLines : theirLines;
        const body = Array.from({ length: MANY }, (_item, index) => {
          const id = first + index;
          const stamp = stamps.get(id) ?? 1;
          stamps.set(id, stamp + 1);
          return { __KEY: String(id), __STAMP: stamp, price: stamp + 0.25 };
        });
        return posted(audience, 'OrderLine', '/lines', body);
      },
    },
  ];
}
