import { expect, test } from 'vitest';
import { onAbort } from '../../src/base/abort.ts';

test('all who listen are told once, and those who do not any more are not', () => {
  const leaving = new AbortController();
  const told: string[] = [];
  const listen = (name: string): (() => void) => onAbort(leaving.signal, () => told.push(name));
  const ends = ['a', 'b', 'c', 'd', 'e'].map(listen);
  ends[1]?.();
  ends[1]?.();
  ends[4]?.();
  listen('f');
  leaving.abort();
  leaving.abort();
  for (const end of ends) end();
  expect(told.sort()).toEqual(['a', 'c', 'd', 'f']);
});

test('one who is told may have others told no more', () => {
  const leaving = new AbortController();
  const told: string[] = [];
  const ends: (() => void)[] = [];
  onAbort(leaving.signal, () => {
    told.push('first');
    for (const end of ends) end();
  });
  ends.push(
    onAbort(leaving.signal, () => told.push('second')),
    onAbort(leaving.signal, () => told.push('third')),
  );
  leaving.abort();
  expect(told).toEqual(['first']);
});
