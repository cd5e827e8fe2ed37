import { expect, test } from 'vitest';
import { ClientGone } from '../../src/base/time.ts';
import { Semaphore } from '../../src/database/pool.ts';

const { signal } = new AbortController();

const tooLate = (): Error => new Error('too late');

test('places are given in the order in which they were asked for', async () => {
  const places = new Semaphore(2);
  const order: number[] = [];
  const take = async (number: number): Promise<void> => {
    await places.acquire(signal, Infinity, tooLate);
    order.push(number);
  };
  const all = [1, 2, 3, 4].map(take);
  await Promise.all(all.slice(0, 2));
  expect(order).toEqual([1, 2]);
  places.release();
  places.release();
  await Promise.all(all);
  expect(order).toEqual([1, 2, 3, 4]);
});

test('who waits too long, or leaves, takes nobody’s place', async () => {
  const places = new Semaphore(1);
  await places.acquire(signal, Infinity, tooLate);
  const leaving = new AbortController();
  const left = places.acquire(leaving.signal, Infinity, tooLate);
  leaving.abort();
  await expect(left).rejects.toThrow(ClientGone);
  await expect(places.acquire(signal, 10, tooLate)).rejects.toThrow('too late');
  await expect(places.acquire(leaving.signal, Infinity, tooLate)).rejects.toThrow(ClientGone);
  const last = places.acquire(signal, Infinity, tooLate);
  places.release();
  await last;
  places.release();
  await places.acquire(signal, 0, tooLate);
});
