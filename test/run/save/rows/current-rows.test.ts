import { expect, test } from 'vitest';
import { eachRowOnce } from '../../../../src/run/save/rows/current-rows.ts';
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
