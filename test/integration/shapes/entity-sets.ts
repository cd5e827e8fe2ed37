import { expect, test } from 'vitest';
import type { Gateway } from '../../targets/gateway.ts';
import { leave, makeSet, ManualClock, slotsOf, told, waiting } from '../sets.ts';
import type { Served, Shape } from './engines.ts';
import { sample } from './sample.ts';

const clock = new ManualClock();

/** The sample, whose entity sets live by a clock: `WAIT 7200-1` lets 7,199 seconds pass. */
export const aging: Shape = {
  ...sample,
  clock,
  verbs: { WAIT: waiting(clock) },
  settings: { stampSecret: 'the secret of both' },
};

/** About what a set of 2,000 whole numbers takes; the sample has as many orders. */
const ORDERS = 16_000;

const bounded = (maxBytes: number, maxSetBytes: number, maxPerSession: number): Shape => ({
  ...sample,
  engines: ['pglite'],
  settings: { entitySets: { maxBytes, maxSetBytes, maxPerSession } },
});

/** Five sets of all orders have room together; one session has three; no set is larger than three of them. */
export const fiveAtAll: Shape = bounded(5 * ORDERS, 5 * ORDERS, 1000);
export const threeOfOne: Shape = bounded(100 * ORDERS, 50 * ORDERS, 3);
export const smallOnes: Shape = bounded(100 * ORDERS, 3 * ORDERS, 1000);

const gone = [404, 1802];
const MAKE = 'Order?$method=entityset&$top=0';

/** Other instances of one API, and clients at one moment. */
export function others(served: Served): void {
  test('another instance makes a set again by $savedfilter; one of another secret does not know its id', async () => {
    const { gateway } = served;
    const second = await served.start();
    const uri = await makeSet(gateway, 'Employee?$filter="ID<4"&$method=entityset&$top=0');
    expect(told(await second.get(uri))).toEqual(gone);
    const again = await second.get(`${uri}?$savedfilter="ID<3"`);
    expect(slotsOf(again, 'ID')).toEqual({ count: 2, slots: [1, 2] });
    expect(slotsOf(await gateway.get(uri), 'ID').slots).toEqual([1, 2, 3]);
    const stranger = await served.start({ stampSecret: undefined });
    expect(told(await stranger.get(`${uri}?$savedfilter='$all'`))).toEqual(gone);
    const idOf = async ({ get }: Gateway): Promise<unknown> =>
      ((await get('/rest/$catalog')).body as { __UNIQID: unknown }).__UNIQID;
    expect(await idOf(gateway)).toBe(await idOf(gateway));
    expect(await idOf(second)).not.toBe(await idOf(gateway));
  });

  test('clients that ask for different filters of a set that is gone all get the first one', async () => {
    const { gateway } = served;
    const filters = '$filter="grade=9"&$savedfilter="grade=9"';
    const uri = await makeSet(gateway, `Employee?${filters}&$method=entityset&$top=0&$timeout=10`);
    clock.forward(11);
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        gateway.get(`${uri}?$savedfilter="ID<=${5 + index}"&$attributes=ID`),
      ),
    );
    const after = slotsOf(await gateway.get(`${uri}?$attributes=ID`), 'ID');
    for (const answer of answers) expect(slotsOf(answer, 'ID')).toEqual(after);
  });

  test('pages of a set that is released meanwhile are whole, or 1802; one client is told that it did', async () => {
    const { gateway } = served;
    const uri = await makeSet(gateway, MAKE);
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
}

/** More creations at once than there is room for, and some whose clients leave. */
export function many(served: Served): void {
  test('creations past the bound of all, many at once, are answered or refused, and none is half made', async () => {
    const { gateway } = served;
    const made = Array.from({ length: 40 }, () => gateway.get(`/rest/${MAKE}`));
    const outcomes = (await Promise.all(made)).map(told);
    for (const outcome of outcomes) expect([[200], [503, 9024]]).toContainEqual(outcome);
    expect(outcomes).toContainEqual([200]);
    const whole = await gateway.get(`${await makeSet(gateway, MAKE)}?$top=0`);
    expect(slotsOf(whole, 'ID').count).toBe(2000);
  });

  test('clients that leave while their set is made leave nothing behind', async () => {
    const { gateway } = served;
    const path = '/rest/Order?$orderby=date+desc&$method=entityset&$top=50';
    for (let round = 0; round < 24; round += 1) await leave(gateway.port, path, round % 12);
    const uri = await makeSet(gateway, MAKE);
    const { count, slots } = slotsOf(await gateway.get(`${uri}?$skip=1999&$attributes=ID`), 'ID');
    expect([count, ...slots]).toEqual([2000, 2000]);
  });
}
