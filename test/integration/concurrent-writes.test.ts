import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGateway, type Gateway } from '../targets/gateway.ts';
import type { OpenTarget } from '../targets/target.ts';
import {
  countOf,
  ended,
  onEveryTarget,
  post,
  readEntity,
  stampOf,
  type Entity,
} from './writing.ts';

const CLIENTS = 12;
const ROUNDS = 5;

/** An entity that many clients count up, by each kind of stamp. */
interface Counted {
  readonly stamp: string;
  readonly url: string;
  readonly value: (entity: Entity) => number;
  readonly counted: (value: number) => Entity;
}

function counted(stamp: string, url: string, attribute: string): Counted {
  return {
    stamp,
    url,
    value: (entity) => Number(entity[attribute]),
    counted: (value) => ({ [attribute]: value }),
  };
}

const kinds: readonly Counted[] = [
  counted('a counter that a trigger counts', '/rest/Country(FR)', 'population'),
  counted('a counter that the gateway counts', '/rest/Employee(5)', 'grade'),
  counted('a row version', '/rest/Product(3)', 'stock'),
  counted('a hash', '/rest/ExchangeRate(CHF;2024-01-02)', 'rate'),
  {
    stamp: 'a hash of text',
    url: '/rest/Holiday(2024-01-01)',
    value: ({ name }) => Number(/\d+$/.exec(String(name))?.[0] ?? 0),
    counted: (value) => ({ name: `Holiday ${value}` }),
  },
];

/** An update that was answered with success. */
interface Success {
  readonly base: string;
  readonly stamp: string;
  readonly value: number;
  readonly answered: number;
}

await onEveryTarget('many clients', (target) => {
  let opened: OpenTarget;
  /** Two in front of a server's database; the embedded one has one alone. */
  let gateways: Gateway[];
  beforeAll(async () => {
    opened = await target.open();
    const processes = opened.database.engine === 'pglite' ? 1 : 2;
    gateways = await Promise.all(
      Array.from({ length: processes }, () =>
        startGateway(opened.database, { stampSecret: 'the secret of both' }),
      ),
    );
  });
  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.close()));
    await opened.close();
  });

  const gatewayOf = (client: number): Gateway => {
    const gateway = gateways[client % gateways.length];
    if (gateway === undefined) throw new Error('there is no gateway');
    return gateway;
  };
  const clients = <Result>(work: (client: number, gateway: Gateway) => Promise<Result>) =>
    Promise.all(Array.from({ length: CLIENTS }, (_, client) => work(client, gatewayOf(client))));

  /** What no statement compares is compared under the lock of an earlier one. */
  const skipUnlocked = ({ stamp }: Counted, skip: (condition: boolean, why: string) => void) => {
    const isHash = stamp.startsWith('a hash');
    const isBabelfish = gatewayOf(0).database.version.includes('Babelfish');
    skip(isHash && isBabelfish, 'Babelfish locks nothing by UPDLOCK');
  };

  test.for(kinds)('lose no update with $stamp', async (kind, { skip }) => {
    skipUnlocked(kind, skip);
    const { url, value, counted: next } = kind;
    const { __KEY: key, __STAMP: first } = await readEntity(gatewayOf(0), url);
    const start = 100;
    const begun = ended(
      await post(gatewayOf(0), url, { __KEY: key, __STAMP: first, ...next(start) }),
    );
    expect(begun.codes).toEqual([]);
    const before = begun.entity;
    const successes: Success[] = [];
    const codes = new Set<string>();
    await clients(async (_, gateway) => {
      // What a client holds is what it was answered last.
      let held = await readEntity(gateway, url);
      for (let round = 0; round < ROUNDS; round += 1) {
        const { __KEY, __STAMP } = held;
        const written = value(held) + 1;
        const {
          success,
          entity,
          status,
          codes: said,
        } = ended(await post(gateway, url, { __KEY, __STAMP, ...next(written) }));
        if (success) {
          const answered = value(entity);
          successes.push({ base: stampOf(held), stamp: stampOf(entity), value: written, answered });
        } else {
          codes.add(`${status} ${said.join()}`);
        }
        held = entity;
      }
    });
    const after = await readEntity(gatewayOf(0), url);
    expect(successes.length).toBeGreaterThanOrEqual(ROUNDS);
    expect(value(after)).toBe(start + successes.length);
    expect([...codes]).toEqual(successes.length < CLIENTS * ROUNDS ? ['409 1263,1517'] : []);
    // One after the other: each success began with the stamp that the one before it was answered.
    const inOrder = successes.sort((a, b) => a.value - b.value);
    expect(inOrder.map((success) => success.answered)).toEqual(
      inOrder.map((_, index) => start + index + 1),
    );
    expect(inOrder.map(({ base }) => base)).toEqual([
      stampOf(before),
      ...inOrder.slice(0, -1).map(({ stamp }) => stamp),
    ]);
    expect(stampOf(after)).toBe(inOrder.at(-1)?.stamp);
    expect(new Set([stampOf(before), ...inOrder.map(({ stamp }) => stamp)]).size).toBe(
      successes.length + 1,
    );
  });

  test.for(kinds)('of one stamp, $stamp, have one winner', async (kind, { skip }) => {
    skipUnlocked(kind, skip);
    const { url, value, counted: next } = kind;
    const held = await readEntity(gatewayOf(0), url);
    const { __KEY, __STAMP } = held;
    const answers = await clients(async (client, gateway) =>
      ended(await post(gateway, url, { __KEY, __STAMP, ...next(value(held) + 1 + client) })),
    );
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
    const losers = answers.filter(({ success }) => !success);
    expect(new Set(losers.map(({ codes }) => codes.join()))).toEqual(new Set(['1263,1517']));
  });

  test('of one stamp have one winner that deletes or updates', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const key = `race-${round}`;
      const made = ended(await post(gatewayOf(0), '/rest/Category', { code: key, position: 1 }));
      expect(made.success).toBe(true);
      const { __KEY, __STAMP } = made.entity;
      const answers = await clients(async (client, gateway) => {
        const isDelete = client % 2 === 0;
        const method = isDelete ? 'delete' : 'update';
        const answer = await post(gateway, `/rest/Category?$method=${method}`, {
          __KEY,
          __STAMP,
          ...(isDelete ? {} : { position: 2 + client }),
        });
        const { success, codes } = ended(answer);
        const ok = success || (answer.body as { ok?: boolean }).ok === true;
        return { isDelete, ok, code: codes[0] ?? null };
      });
      const winners = answers.filter(({ ok }) => ok);
      expect(winners).toHaveLength(1);
      const isGone = winners[0]?.isDelete === true;
      expect(await countOf(gatewayOf(0), 'Category', `code = '${key}'`)).toBe(isGone ? 0 : 1);
      // Who came too late is told that it is gone, or that it was changed.
      const codes = answers.filter(({ ok }) => !ok).map(({ code }) => code);
      expect(codes.every((code) => code === 1263 || (isGone && code === 1542))).toBe(true);
    }
  });

  test('of one new key have one winner', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const answers = await clients(async (client, gateway) =>
        ended(
          await post(gateway, `/rest/Category${client % 3 === 0 ? '?$atomic=true' : ''}`, [
            { code: `new-${round}`, position: client },
          ]),
        ),
      );
      const ends = answers.map(({ success, codes, entity }) => {
        const [only] = (entity['__ENTITIES'] ?? []) as readonly Entity[];
        if (only === undefined) return { success, codes };
        const errors = (only['__ERROR'] ?? []) as readonly { errCode: number }[];
        return { success: errors.length === 0, codes: errors.map(({ errCode }) => errCode) };
      });
      expect(ends.filter(({ success }) => success)).toHaveLength(1);
      expect(new Set(ends.filter(({ success }) => !success).map(({ codes }) => codes[0]))).toEqual(
        new Set([1115]),
      );
      expect(await countOf(gatewayOf(0), 'Category', `code = 'new-${round}'`)).toBe(1);
    }
  });

  test('that lock two entities in opposite order all end, and wholly', async () => {
    // A server takes a second to see a deadlock: a few clients are enough to meet many.
    const keys = ['BE', 'NL'];
    const url = (key: string | undefined): string => `/rest/Country(${key ?? ''})`;
    const some = await Promise.all(
      [0, 1, 2, 3].map(async (client) => {
        const gateway = gatewayOf(client >> 1);
        const codes: number[] = [];
        for (let round = 0; round < 2; round += 1) {
          const order = client % 2 === 0 ? keys : [...keys].reverse();
          // Other attributes make other statements: the rows are met in the order of the body.
          const answer = await post(gateway, '/rest/Country?$atomic=true', [
            { __KEY: order[0], population: client * 100 + round, inEU: true },
            { __KEY: order[1], population: client * 100 + round },
          ]);
          codes.push(...ended(answer).codes);
          const statuses = (answer.body as { __ENTITIES?: readonly Entity[] }).__ENTITIES ?? [];
          codes.push(...(statuses.length === 2 ? [] : [0]));
        }
        return codes;
      }),
    );
    expect(some.flat()).toEqual([]);
    const [one, other] = await Promise.all(keys.map((key) => readEntity(gatewayOf(0), url(key))));
    expect(one?.['population']).toEqual(other?.['population']);
  });
});
