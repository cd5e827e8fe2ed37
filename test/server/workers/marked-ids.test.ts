import { expect, test } from 'vitest';
import { markedId, workerOf } from '../../../src/server/workers/messages.ts';

test.each([1, 2, 3, 7, 256])('an id tells which of %d processes made it', (count) => {
  for (let worker = 0; worker < count; worker += 1) {
    const ids = Array.from({ length: 20 }, () => markedId({ worker, count }));
    for (const id of ids) expect(id).toMatch(/^[0-9A-F]{32}$/);
    expect(new Set(ids).size).toBe(20);
    expect(new Set(ids.map((id) => workerOf(id, count)))).toEqual(new Set([worker]));
  }
});

test('what follows the first digits of an id counts as little as what clients make up', () => {
  expect(workerOf(`${'0'.repeat(7)}5${'F'.repeat(38)}`, 4)).toBe(1);
  expect(
    ['', 'x', '0'.repeat(31), 'abcdef0123456789abcdef0123456789'].map((id) => workerOf(id, 4)),
  ).toEqual([null, null, null, null]);
});
