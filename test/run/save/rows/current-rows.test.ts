import { expect, test } from 'vitest';
import {
  type BatchItem,
  eachRowOnce,
  writeBatches,
} from '../../../../src/run/save/rows/current-rows.ts';
import type { Attempt } from '../../../../src/run/write/attempt.ts';
import { type CurrentRow, RowWrite } from '../../../../src/run/write/outcome.ts';

const row = (...key: string[]): CurrentRow => ({ key }) as unknown as CurrentRow;

test('entities that meet a row which one before them meets wait for their turn', () => {
  const rows = [row('1'), row('2'), row('1'), null, null, row('1')];
  const items = rows.map((_, index) => new RowWrite({ index, key: ['any'] }));
  const { first, again } = eachRowOnce(items, rows);
  expect(first.map(({ index, current }) => [index, current])).toEqual([
    [0, rows[0]],
    [1, rows[1]],
    [3, null],
    [4, null],
  ]);
  expect(again.map(({ index }) => index)).toEqual([2, 5]);
});

const million = 1_048_576;

/** An element with so many characters in its columns. */
function item(index: number, ...lengths: readonly number[]): BatchItem {
  return { index, key: null, cells: lengths.map((length) => 'x'.repeat(length)) };
}

/** The indexes of the elements that share a statement. */
async function statements(
  batches: readonly (readonly BatchItem[])[],
  oneByOne = false,
): Promise<number[][]> {
  const parts: number[][] = [];
  const attempt = { oneByOne } as unknown as Attempt;
  await writeBatches(batches, 'create', attempt, (items) => {
    parts.push(items.map(({ index }) => index));
    return Promise.resolve();
  });
  return parts;
}

test('a statement is given two million characters, or one element that has more', async () => {
  const small = [0, 1, 2].map((index) => item(index, 10));
  expect(await statements([small, [item(3)]])).toEqual([[0, 1, 2], [3]]);
  const large = [
    item(0, million, 10),
    item(1, million),
    item(2, 3 * million),
    item(3),
    item(4, 2 * million),
  ];
  expect(await statements([large])).toEqual([[0], [1], [2], [3, 4]]);
});

test('each element has a statement of its own when they are written one by one, in the order of the body', async () => {
  expect(await statements([[item(2), item(0)], [item(1)]], true)).toEqual([[0], [1], [2]]);
});
