import { describe, expect, test } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import type { Answer, Gateway } from '../targets/gateway.ts';
import { pgliteTarget } from '../targets/pglite.ts';
import { change } from '../targets/sql.ts';
import { idOf, leave, makeSet, ManualClock, slotsOf, told } from './sets.ts';
import { errors } from './shapes/engines.ts';
import { serving } from './writing.ts';

const FILTER = '$filter="grade=9"';
const SAVED = '$savedfilter="grade=9"';
/** Of a set that is made here, mostly nothing is shown. */
const MAKE = '$method=entityset&$top=0';
const gone = [404, 1802];
/** Of two instances of one API. */
const shared = { stampSecret: 'the secret of both' };

describe('§3.1 the life of an entity set', () => {
  const clock = new ManualClock();
  const { gateway, start } = serving(pgliteTarget, shared, { clock });

  const get = (uri: string, query = ''): Promise<Answer> => gateway.get(`${uri}${query}`);
  const ask = async (uri: string, query = '?$top=0'): Promise<readonly number[]> =>
    told(await get(uri, query));

  /** Of two sets made at one moment, one is accessed just in time, the other a second too late. */
  async function expectLifetime(one: string, other: string, seconds: number): Promise<void> {
    clock.forward(seconds - 1);
    expect(await ask(one)).toEqual([200]);
    clock.forward(2);
    expect(await ask(other)).toEqual(gone);
    clock.forward(seconds - 3);
    expect(await ask(one)).toEqual([200]);
    clock.forward(seconds + 1);
    expect(await ask(one)).toEqual(gone);
  }

  describe('(none) → cached, for $timeout seconds from the last access', () => {
    test.each([
      [`Employee?${MAKE}`, 7200],
      [`Employee?${FILTER}&${MAKE}&$timeout=100000`, 100_000],
      [`Employee?${FILTER}&${MAKE}&${SAVED}&$timeout=90`, 90],
      [`Employee(1,2,3)?${MAKE}&$timeout=30`, 30],
      ['Company(1)/employees?$expand=employees&$method=subentityset&$top=0', 7200],
    ])('%s: %i', async (path, seconds) => {
      await expectLifetime(await makeSet(gateway, path), await makeSet(gateway, path), seconds);
    });

    test.each([
      ['$logicOperator=EXCEPT&$otherCollection=OTHER&$timeout=30', 30],
      ['$clean=true', 7200],
      ['$filter="ID>5"&$timeout=40', 40],
    ])('a set from a set, with a life of its own: %s, %i', async (query, seconds) => {
      const make = async (): Promise<string> => {
        const from = await makeSet(gateway, `Employee?${FILTER}&${MAKE}&$timeout=20`);
        const other = await makeSet(gateway, `Employee?$filter="ID<99"&${MAKE}&$timeout=20`);
        const path = `${from.replace('/rest/', '')}?${query.replace('OTHER', idOf(other))}`;
        return makeSet(gateway, `${path}&${MAKE}`);
      };
      await expectLifetime(await make(), await make(), seconds);
    });
  });

  describe('cached → cached: any access lets the lifetime begin anew', () => {
    test.each([
      '?$asArray=true',
      '/lastName',
      '?$filter="ID<9"&$orderby=ID',
      `?${SAVED}`,
      '?$findKey=1',
      `?$clean=true&${MAKE}`,
      '?$logicOperator=INTERSECT&$otherCollection=OTHER',
      `?$logicOperator=OR&$otherCollection=OTHER&${MAKE}`,
    ])('ID%s', async (query) => {
      const uri = await makeSet(gateway, `Employee?${FILTER}&${MAKE}&$timeout=100`);
      const other = await makeSet(gateway, `Employee?$filter="ID<99"&${MAKE}&$timeout=100`);
      clock.forward(60);
      expect(await ask(uri, query.replace('OTHER', idOf(other)))).toEqual([200]);
      clock.forward(60);
      expect(await ask(uri)).toEqual([200]);
      if (query.includes('OTHER')) expect(await ask(other)).toEqual([200]);
      clock.forward(101);
      expect(await ask(uri)).toEqual(gone);
    });

    test('POST ID?$method=delete', async () => {
      const uri = await makeSet(gateway, `ExchangeRate?$filter="rate<0"&${MAKE}&$timeout=100`);
      clock.forward(60);
      const answer = await gateway.get(`${uri}?$method=delete`, { method: 'POST' });
      expect([answer.body, answer.headers['entitygate-deleted']]).toEqual([{ ok: true }, '0']);
      clock.forward(60);
      expect(await ask(uri)).toEqual([200]);
    });

    test('not that of another set, nor that of the database', async () => {
      const uri = await makeSet(gateway, `Employee?${FILTER}&${MAKE}&$timeout=100`);
      clock.forward(60);
      await makeSet(gateway, `Employee?${FILTER}&${MAKE}&$timeout=100`);
      await gateway.get(`/rest/Employee?${FILTER}`);
      clock.forward(60);
      expect(await ask(uri)).toEqual(gone);
    });
  });

  describe('cached → removed', () => {
    test('lifetime elapsed: 1802 to reads and to a release', async () => {
      const uri = await makeSet(gateway, `Employee?${FILTER}&${MAKE}&$timeout=10`);
      clock.forward(11);
      expect(await ask(uri, '?$method=release')).toEqual(gone);
      expect(await ask(uri, '')).toEqual(gone);
      expect(await ask(uri, '?$savedorderby=ID')).toEqual(gone);
    });

    test('of a combination either set may have elapsed', async () => {
      const long = await makeSet(gateway, `Employee?${FILTER}&${MAKE}`);
      const short = await makeSet(gateway, `Employee?${FILTER}&${MAKE}&$timeout=10`);
      clock.forward(11);
      const combined = (one: string, other: string): Promise<readonly number[]> =>
        ask(one, `?$logicOperator=AND&$otherCollection=${idOf(other)}`);
      expect(await combined(short, long)).toEqual(gone);
      expect(await combined(long, short)).toEqual([404, 1820]);
    });
  });

  describe('removed → cached: $savedfilter makes the set again under its id, for 600 seconds', () => {
    const make = (query = ''): Promise<string> =>
      makeSet(gateway, `Employee?${FILTER}&${SAVED}&${MAKE}&$timeout=10${query}`);
    test.each([
      [`?${SAVED}`, 600],
      [`?${SAVED}&$savedorderby="ID desc"`, 600],
      [`?$savedfilter='$all'`, 600],
      [`?${SAVED}&$timeout=40`, 40],
    ])('%s: %i', async (query, seconds) => {
      const [one, other] = [await make(), await make()];
      clock.forward(11);
      for (const uri of [one, other]) expect(await ask(uri, query)).toEqual([200]);
      await expectLifetime(one, other, seconds);
    });

    test('once: clients that ask for different ones at the same moment all get the first one', async () => {
      const uri = await make();
      clock.forward(11);
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          get(uri, `?$savedfilter="ID<=${5 + index}"&$attributes=ID`),
        ),
      );
      const after = await get(uri, '?$attributes=ID');
      for (const { status, body } of answers) {
        expect({ status, body }).toEqual({ status: 200, body: after.body });
      }
    });
  });

  test('cached → cached: a key that is deleted, and given to a new entity, shows that one', async () => {
    const rate = (day: number, date: string): Promise<unknown> =>
      change(
        gateway.database,
        `INSERT INTO "SALES"."EXC_RATE" ("CURR_CD", "RATE_DT", "RATE_VAL") VALUES ('UTO', '${date}', ${day})`,
      );
    for (const day of [1, 2, 3]) await rate(day, `2030-01-0${day}`);
    const uri = await makeSet(
      gateway,
      `ExchangeRate?$filter="currency=UTO"&$orderby="date desc"&${MAKE}`,
    );
    const shown = async (): Promise<unknown> => slotsOf(await get(uri), 'rate').slots;
    await change(gateway.database, `DELETE FROM "SALES"."EXC_RATE" WHERE "RATE_VAL" = 2`);
    expect(await shown()).toEqual([3, null, 1]);
    await rate(7, '2030-01-02');
    await rate(4, '2030-01-04');
    expect(await shown()).toEqual([3, 7, 1]);
  });

  test('another instance makes a set again by $savedfilter; one of another secret does not know its id', async () => {
    const second = await start(shared);
    const uri = await makeSet(gateway, `Employee?$filter="ID<4"&${MAKE}`);
    expect(told(await second.get(uri))).toEqual(gone);
    const again = await second.get(`${uri}?$savedfilter="ID<3"`);
    expect(slotsOf(again, 'ID')).toEqual({ count: 2, slots: [1, 2] });
    expect(slotsOf(await get(uri), 'ID').slots).toEqual([1, 2, 3]);
    const stranger = await start();
    expect(told(await stranger.get(`${uri}?$savedfilter='$all'`))).toEqual(gone);
    const tell = async ({ get: read }: Gateway): Promise<unknown> =>
      ((await read('/rest/$catalog')).body as { __UNIQID: unknown }).__UNIQID;
    expect(await tell(gateway)).toBe(await tell(gateway));
    expect(await tell(second)).not.toBe(await tell(gateway));
  });
});

/** About what a set of 2,000 whole numbers takes; the sample has as many orders. */
const ORDERS = 16_000;

describe('what entity sets may take', () => {
  const { gateway, start } = serving(pgliteTarget);

  /** Another gateway in front of the same database. */
  const bounded = (bounds: Partial<Config['entitySets']>): Promise<Gateway> =>
    start({
      entitySets: { maxBytes: 10_000_000, maxSetBytes: 5_000_000, maxPerSession: 1000, ...bounds },
    });
  const make = (on: Gateway, query = ''): Promise<string> => makeSet(on, `Order?${query}${MAKE}`);
  /** Reads a set, which accesses it. */
  const ask = async (on: Gateway, uri: string): Promise<readonly number[]> =>
    told(await on.get(`${uri}?$top=1`));

  test('bytes for all of them: the least recently used goes first, and is 1802 from then on', async () => {
    const on = await bounded({ maxBytes: 5 * ORDERS, maxSetBytes: 5 * ORDERS });
    const [idle, used] = [await make(on), await make(on)];
    for (let made = 0; made < 5; made += 1) {
      const latest = await make(on);
      for (const uri of [used, latest]) expect(await ask(on, uri)).toEqual([200]);
    }
    expect(await ask(on, idle)).toEqual(gone);
  });

  test('a count for one session: its least recently used goes; what is released makes room', async () => {
    const on = await bounded({ maxPerSession: 3 });
    const [first, second, third] = [await make(on), await make(on), await make(on)];
    expect(await ask(on, first)).toEqual([200]);
    const fourth = await make(on);
    expect(await ask(on, second)).toEqual(gone);
    expect((await on.get(`${third}?$method=release`)).body).toEqual({ ok: true });
    const fifth = await make(on);
    for (const uri of [first, fourth, fifth]) expect(await ask(on, uri)).toEqual([200]);
  });

  test('bytes for one of them: a larger one is refused, however it is made, and none goes for it', async () => {
    const on = await bounded({ maxSetBytes: 3 * ORDERS });
    const lines = (filter: string): Promise<string> =>
      makeSet(on, `OrderLine?$filter="${filter}"&${MAKE}`);
    const [one, other] = [await lines('orderNo<650'), await lines('orderNo>=650 and orderNo<1300')];
    const released = await lines('orderNo<100');
    await on.get(`${released}?$method=release`);
    for (const url of [
      `/rest/OrderLine?${MAKE}`,
      `/rest/OrderLine?$filter="orderNo>10"&${MAKE}&$orderby=quantity`,
      `${one}?$logicOperator=OR&$otherCollection=${idOf(other)}&${MAKE}`,
      `${released}?$savedfilter='$all'`,
    ]) {
      const { status, body } = await on.get(url);
      expect([url, status, body]).toEqual([
        url,
        413,
        errors([9023, expect.stringMatching(/narrow it\.$/) as string]),
      ]);
    }
    expect(await ask(on, one)).toEqual([200]);
    expect(await ask(on, released)).toEqual(gone);
  });

  test('creations past the bound of all, many at once, are answered or refused, and none is half made', async () => {
    const on = await bounded({ maxBytes: 6 * ORDERS, maxSetBytes: 3 * ORDERS });
    const made = Array.from({ length: 40 }, () => on.get(`/rest/Order?${MAKE}`));
    const outcomes = (await Promise.all(made)).map(told);
    for (const outcome of outcomes) expect([[200], [503, 9024]]).toContainEqual(outcome);
    expect(outcomes).toContainEqual([200]);
    expect(slotsOf(await on.get(`${await make(on)}?$top=0`), 'ID').count).toBe(2000);
  });

  test('pages of a set that is released meanwhile are whole, or 1802; one client is told that it did', async () => {
    const uri = await make(gateway);
    const orders = Array.from({ length: 2000 }, (_, index) => index + 1);
    const released: unknown[] = [];
    const pages = Array.from({ length: 30 }, async (_, index) => {
      const skip = index * 50;
      if (index >= 15) released.push(told(await gateway.get(`${uri}?$method=release`)));
      return [skip, await gateway.get(`${uri}?$skip=${skip}&$top=50&$attributes=ID`)] as const;
    });
    for (const [skip, answer] of await Promise.all(pages)) {
      if (answer.status === 200) {
        const slots = orders.slice(skip, skip + 50);
        expect(slotsOf(answer, 'ID')).toEqual({ count: 2000, slots });
      } else expect(told(answer)).toEqual(gone);
    }
    expect(released.filter((outcome) => String(outcome) === '200')).toHaveLength(1);
  });

  test('clients that leave while their set is made leave nothing behind', async () => {
    const on = await bounded({ maxBytes: 4 * ORDERS, maxSetBytes: 4 * ORDERS });
    const path = `/rest/Order?$orderby=date+desc&$method=entityset&$top=50`;
    for (let round = 0; round < 24; round += 1) await leave(on.port, path, round % 12);
    const uri = await make(on);
    const { count, slots } = slotsOf(await on.get(`${uri}?$skip=1999&$attributes=ID`), 'ID');
    expect([count, ...slots]).toEqual([2000, 2000]);
  });
});
