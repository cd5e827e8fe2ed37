import { expect, test } from 'vitest';
import { markedId, slotOf } from '../../../src/server/workers/messages.ts';

test.each([1, 2, 3, 7, 256])('an id tells which of %d processes made it', (count) => {
  for (let slot = 0; slot < count; slot += 1) {
    const ids = Array.from({ length: 20 }, () => markedId({ slot, count }));
    for (const id of ids) expect(id).toMatch(/^[0-9A-F]{32}$/);
    expect(new Set(ids).size).toBe(20);
    expect(new Set(ids.map((id) => slotOf(id, count)))).toEqual(new Set([slot]));
  }
});

test('what follows the first digits of an id counts as little as what clients make up', () => {
  expect(slotOf(`${'0'.repeat(7)}5${'F'.repeat(38)}`, 4)).toBe(1);
  expect(
    ['', 'x', '0'.repeat(31), 'abcdef0123456789abcdef0123456789'].map((id) => slotOf(id, 4)),
  ).toEqual([null, null, null, null]);
});
