import { expect, test } from 'vitest';
import { ClientGone } from '../../src/base/abort.ts';
import { Semaphore } from '../../src/database/pool.ts';

const { signal } = new AbortController();

test('places are given in the order in which they were asked for', async () => {
  const places = new Semaphore(2);
  const order: number[] = [];
  const take = async (number: number): Promise<boolean> => {
    const isGranted = await places.acquire(signal, Infinity);
    order.push(number);
    return isGranted;
  };
  const all = [1, 2, 3, 4].map(take);
  await Promise.all(all.slice(0, 2));
  expect(order).toEqual([1, 2]);
  places.release();
  places.release();
  expect(await Promise.all(all)).toEqual([true, true, true, true]);
  expect(order).toEqual([1, 2, 3, 4]);
});

test('who waits too long, or leaves, takes nobody’s place', async () => {
  const places = new Semaphore(1);
  await places.acquire(signal, Infinity);
  const leaving = new AbortController();
  const left = places.acquire(leaving.signal, Infinity);
  leaving.abort();
  await expect(left).rejects.toBeInstanceOf(ClientGone);
  expect(await places.acquire(signal, 10)).toBe(false);
  await expect(places.acquire(leaving.signal, Infinity)).rejects.toBeInstanceOf(ClientGone);
  const last = places.acquire(signal, Infinity);
  places.release();
  expect(await last).toBe(true);
  places.release();
  expect(await places.acquire(signal, 0)).toBe(true);
});
