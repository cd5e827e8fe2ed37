import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Answer, Gateway } from '../targets/gateway.ts';
import { pgliteTarget } from '../targets/pglite.ts';
import { change } from '../targets/sql.ts';
import { idOf, makeSet, ManualClock, slotsOf, told } from './sets.ts';
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
      [`Employee?${FILTER}&${MAKE}`, 7200],
      [`Employee?${FILTER}&${MAKE}&$timeout=60`, 60],
      [`Employee?${FILTER}&${MAKE}&$timeout=100000`, 100_000],
      [`Employee?${FILTER}&${MAKE}&${SAVED}`, 7200],
      [`Employee?${FILTER}&${MAKE}&${SAVED}&$timeout=90`, 90],
      [`Employee(1)?${MAKE}`, 7200],
      [`Employee(1)?${MAKE}&$timeout=30`, 30],
      [`Employee(1,2,3)?${MAKE}&$timeout=30`, 30],
      [`Employee?$filter="ID<0"&${MAKE}&$timeout=30`, 30],
      ['Company(1)/employees?$expand=employees&$method=subentityset&$top=0', 7200],
      ['Company(1)/employees?$method=subentityset&$timeout=30&$top=0', 30],
      [`Company(1)/employees?${MAKE}`, 7200],
    ])('%s: %i', async (path, seconds) => {
      await expectLifetime(await makeSet(gateway, path), await makeSet(gateway, path), seconds);
    });

    test.each([
      ['$logicOperator=AND&$otherCollection=OTHER', 7200],
      ['$logicOperator=OR&$otherCollection=OTHER', 7200],
      ['$logicOperator=EXCEPT&$otherCollection=OTHER&$timeout=30', 30],
      ['$clean=true', 7200],
      ['$clean=true&$timeout=30', 30],
      ['$filter="ID>5"', 7200],
      ['$orderby=ID&$timeout=30', 30],
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
      '',
      '?$skip=5&$top=2',
      '?$top=0',
      '?$asArray=true',
      '/lastName',
      '?$filter="ID<9"',
      '?$orderby=ID',
      `?${SAVED}`,
      '?$findKey=1',
      '?$clean=true',
      `?$clean=true&${MAKE}`,
      `?$filter="ID<9"&${MAKE}`,
      '?$logicOperator=AND&$otherCollection=OTHER',
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

    test('once: clients that ask at the same moment get the same set', async () => {
      const uri = await make();
      const before = await get(uri, '?$top=5');
      clock.forward(11);
      const answers = await Promise.all(
        Array.from({ length: 12 }, () => get(uri, `?${SAVED}&$top=5`)),
      );
      for (const { status, body } of answers) {
        expect({ status, body }).toEqual({ status: 200, body: before.body });
      }
      expect((await get(uri, '?$top=5')).body).toEqual(before.body);
    });

    test('of clients that ask at the same moment for different ones, all get the first one', async () => {
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

  describe('cached → cached: an entity that is deleted leaves its slot', () => {
    const rates = '"SALES"."EXC_RATE"';
    const insert = (day: number): Promise<unknown> =>
      change(
        gateway.database,
        `INSERT INTO ${rates} ("CURR_CD", "RATE_DT", "RATE_VAL") VALUES ('UTO', '2030-01-0${day}', ${day})`,
      );
    const remove = (day: number): Promise<unknown> =>
      change(
        gateway.database,
        `DELETE FROM ${rates} WHERE "CURR_CD" = 'UTO' AND "RATE_DT" = '2030-01-0${day}'`,
      );
    const make = (): Promise<string> =>
      makeSet(gateway, `ExchangeRate?$filter="currency=UTO"&$orderby="date desc"&${MAKE}`);
    const read = async (uri: string, query = ''): Promise<unknown> =>
      Object.values(slotsOf(await get(uri, query), 'rate'));

    beforeEach(async () => {
      await change(gateway.database, `DELETE FROM ${rates} WHERE "CURR_CD" = 'UTO'`);
      for (const day of [1, 2, 3]) await insert(day);
    });

    test('by a program that writes straight to the table', async () => {
      const uri = await make();
      await remove(2);
      expect(await read(uri)).toEqual([3, [3, null, 1]]);
      await remove(3);
      expect(await read(uri)).toEqual([3, [null, null, 1]]);
      expect(await read(uri, '?$skip=1&$top=1')).toEqual([3, [null]]);
      expect(await read(uri, '?$clean=true')).toEqual([1, [1]]);
      expect(await read(uri, '?$filter="rate>0"')).toEqual([1, [1]]);
      expect(await read(uri, '?$orderby=rate')).toEqual([3, [1, null, null]]);
    });

    test('whose key is given to a new one shows that', async () => {
      const uri = await make();
      await remove(2);
      await insert(2);
      await insert(4);
      expect(await read(uri)).toEqual([3, [3, 2, 1]]);
    });

    describe('by another instance', () => {
      let second: Gateway;
      beforeAll(async () => {
        second = await start(shared);
      });

      test('which tells in the catalog that it is another one', async () => {
        const tell = async ({ get }: Gateway): Promise<unknown> =>
          ((await get('/rest/$catalog')).body as { __UNIQID: unknown }).__UNIQID;
        expect(await tell(gateway)).toBe(await tell(gateway));
        expect(await tell(second)).not.toBe(await tell(gateway));
      });

      test('of another secret, which does not know the id', async () => {
        const stranger = await start();
        const uri = await make();
        expect(told(await stranger.get(`${uri}?$savedfilter='$all'`))).toEqual(gone);
      });

      test('which does not know the set, and makes it again by $savedfilter', async () => {
        const uri = await make();
        await second.get('/rest/ExchangeRate(UTO;2030-01-02)', { method: 'DELETE' });
        expect(await read(uri)).toEqual([3, [3, null, 1]]);
        expect(told(await second.get(uri))).toEqual(gone);
        const again = await second.get(`${uri}?$savedfilter="currency=UTO"`);
        expect(slotsOf(again, 'rate')).toEqual({ count: 2, slots: [1, 3] });
        expect(await read(uri)).toEqual([3, [3, null, 1]]);
        expect(told(await second.get(uri))).toEqual([200]);
      });
    });
  });
});
