import { beforeAll, describe, expect, test } from 'vitest';
import type { Answer, Gateway } from '../targets/gateway.ts';
import { pgliteTarget } from '../targets/pglite.ts';
import { idOf, leave, makeSet, slotsOf, told } from './sets.ts';
import { serving } from './writing.ts';

const MAKE = '$method=entityset';
const gone = [404, 1802];
/** About what a set of 2,000 whole numbers takes; the sample has as many orders. */
const ORDERS = 16_000;

describe('what entity sets may take', () => {
  const { gateway, start } = serving(pgliteTarget);

  /** Another gateway in front of the same database. */
  function bounded(bounds: {
    readonly maxBytes?: number;
    readonly maxSetBytes?: number;
    readonly maxPerSession?: number;
  }): Promise<Gateway> {
    const entitySets = { maxBytes: 10_000_000, maxSetBytes: 5_000_000, maxPerSession: 1000 };
    return start({ entitySets: { ...entitySets, ...bounds } });
  }

  const make = (on: Gateway, query = ''): Promise<string> =>
    makeSet(on, `Order?${query}${MAKE}&$top=0`);
  /** Reads a set, which accesses it. */
  const ask = async (on: Gateway, uri: string): Promise<readonly number[]> =>
    told(await on.get(`${uri}?$top=1`));

  test('bytes for all of them: the least recently used goes first, and is 1802 from then on', async () => {
    const on = await bounded({ maxBytes: 5 * ORDERS, maxSetBytes: 5 * ORDERS });
    const [idle, used] = [await make(on), await make(on)];
    for (let made = 0; made < 5; made += 1) {
      const latest = await make(on);
      expect(await ask(on, used)).toEqual([200]);
      expect(await ask(on, latest)).toEqual([200]);
    }
    expect(await ask(on, idle)).toEqual(gone);
  });

  test('a count for one session: its least recently used goes', async () => {
    const on = await bounded({ maxPerSession: 3 });
    const [first, second, third] = [await make(on), await make(on), await make(on)];
    expect(await ask(on, first)).toEqual([200]);
    const fourth = await make(on);
    expect(await ask(on, second)).toEqual(gone);
    for (const uri of [first, third, fourth]) expect(await ask(on, uri)).toEqual([200]);
  });

  test('what is released makes room', async () => {
    const on = await bounded({ maxPerSession: 2 });
    const [first, second] = [await make(on), await make(on)];
    expect((await on.get(`${second}?$method=release`)).body).toEqual({ ok: true });
    await make(on);
    expect(await ask(on, first)).toEqual([200]);
  });

  test('a set that went comes back by $savedfilter', async () => {
    const on = await bounded({ maxPerSession: 1 });
    const first = await make(on, '$filter="ID<5"&');
    await make(on);
    expect(await ask(on, first)).toEqual(gone);
    const again = await on.get(`${first}?$savedfilter="ID<5"&$attributes=ID`);
    expect(slotsOf(again, 'ID')).toEqual({ count: 4, slots: [1, 2, 3, 4] });
  });

  describe('bytes for one of them', () => {
    const refusal = {
      __ERROR: [
        {
          message: expect.stringMatching(/narrow/i) as unknown,
          componentSignature: 'dbmg',
          errCode: 9023,
        },
      ],
    };
    const expectRefused = ({ status, body }: Answer): void => {
      expect({ status, body }).toEqual({ status: 413, body: refusal });
    };
    let on: Gateway;
    beforeAll(async () => {
      on = await bounded({ maxSetBytes: 3 * ORDERS });
    });

    test('a creation past the bound is refused, a smaller one is not', async () => {
      const kept = await make(on);
      expectRefused(await on.get(`/rest/OrderLine?${MAKE}&$top=0`));
      expectRefused(await on.get(`/rest/OrderLine?$filter="orderNo>10"&${MAKE}&$orderby=quantity`));
      await makeSet(on, `OrderLine?$filter="orderNo<100"&${MAKE}`);
      expect(await ask(on, kept)).toEqual([200]);
    });

    test('so is one that makes a set again', async () => {
      const uri = await makeSet(on, `OrderLine?$filter="orderNo<100"&${MAKE}`);
      await on.get(`${uri}?$method=release`);
      expectRefused(await on.get(`${uri}?$savedfilter='$all'`));
      expect(await ask(on, uri)).toEqual(gone);
    });

    test('and a combination', async () => {
      const thirds = ['orderNo<650', 'orderNo>=650 and orderNo<1300'];
      const uris = await Promise.all(
        thirds.map((filter) => makeSet(on, `OrderLine?$filter="${filter}"&${MAKE}`)),
      );
      const [one = '', other = ''] = uris;
      const query = `$logicOperator=OR&$otherCollection=${idOf(other)}`;
      expectRefused(await on.get(`${one}?${query}&${MAKE}`));
      expect(await ask(on, one)).toEqual([200]);
    });

    test('the same read without a set is not bounded', async () => {
      const answer = await on.get('/rest/OrderLine?$top=0');
      expect(answer.body).toMatchObject({ __COUNT: 6465 });
    });
  });

  test('creations past the bound of all, many at once, are answered or refused, and none is half made', async () => {
    const on = await bounded({ maxBytes: 6 * ORDERS, maxSetBytes: 3 * ORDERS });
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => on.get(`/rest/Order?${MAKE}&$top=0`)),
    );
    const outcomes = answers.map(told);
    for (const outcome of outcomes) expect([[200], [503, 9024]]).toContainEqual(outcome);
    expect(outcomes).toContainEqual([200]);
    const uri = await make(on);
    expect(slotsOf(await on.get(`${uri}?$top=0`), 'ID').count).toBe(2000);
  });

  describe('two clients at once', () => {
    const orders = Array.from({ length: 2000 }, (_, index) => index + 1);

    test('of many that release a set one is told that it did', async () => {
      const uri = await make(gateway);
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => gateway.get(`${uri}?$method=release`)),
      );
      const outcomes = answers.map((answer) => told(answer).join(' '));
      expect(outcomes.toSorted()).toEqual(['200', ...Array.from({ length: 9 }, () => '404 1802')]);
    });

    test('pages of a set that is released meanwhile are whole, or 1802', async () => {
      const uri = await make(gateway);
      const skips = Array.from({ length: 30 }, (_, index) => index * 50);
      const read = async (skip: number): Promise<Answer> =>
        gateway.get(`${uri}?$skip=${skip}&$top=50&$attributes=ID`);
      const pages = skips.map(async (skip, index) => {
        if (index === 15) await gateway.get(`${uri}?$method=release`);
        return [skip, await read(skip)] as const;
      });
      for (const [skip, answer] of await Promise.all(pages)) {
        if (answer.status === 200) {
          expect(slotsOf(answer, 'ID')).toEqual({
            count: 2000,
            slots: orders.slice(skip, skip + 50),
          });
        } else {
          expect(told(answer)).toEqual(gone);
        }
      }
      expect(await ask(gateway, uri)).toEqual(gone);
    });

    test('pages are whole while others make, combine and release sets', async () => {
      const uri = await make(gateway, '$orderby="ID desc"&');
      const other = await make(gateway, '$filter="ID<1000"&');
      const work = Array.from({ length: 10 }, async (_, index) => {
        const combined = await makeSet(
          gateway,
          `${uri.replace('/rest/', '')}?$logicOperator=AND&$otherCollection=${idOf(other)}&${MAKE}&$top=0`,
        );
        const page = await gateway.get(`${combined}?$skip=${index}&$top=2&$attributes=ID`);
        expect(slotsOf(page, 'ID')).toEqual({ count: 999, slots: [999 - index, 998 - index] });
        await gateway.get(`${combined}?$method=release`);
        const whole = await gateway.get(`${uri}?$skip=${index * 100}&$top=1&$attributes=ID`);
        expect(slotsOf(whole, 'ID')).toEqual({ count: 2000, slots: [2000 - index * 100] });
      });
      await Promise.all(work);
    });
  });

  test('clients that leave while their set is made leave nothing behind', async () => {
    const on = await bounded({ maxBytes: 4 * ORDERS, maxSetBytes: 4 * ORDERS });
    const path = `/rest/Order?$orderby=date+desc&${MAKE}&$top=50`;
    for (let round = 0; round < 24; round += 1) await leave(on.port, path, round % 12);
    const uri = await make(on);
    expect(slotsOf(await on.get(`${uri}?$skip=1999&$attributes=ID`), 'ID')).toEqual({
      count: 2000,
      slots: [2000],
    });
  });
});
