import { expect, test } from 'vitest';
import { decodeRows, LONG_TEXT } from '../../../src/database/long-text.ts';
import { DataRows } from '../../../src/database/postgres/row-reader.ts';
import { dataRow } from './messages.ts';

type Values = readonly (string | null)[];

/** Rows that came in some chunks, behind something else. */
function came(...chunks: readonly (readonly Values[])[]): DataRows {
  const rows = new DataRows();
  for (const chunk of chunks) {
    const before = Buffer.from('xyz');
    const bytes = Buffer.concat([before, ...chunk.map(dataRow)]);
    rows.add(bytes, before.length, bytes.length);
  }
  return rows;
}

/** What a cursor tells, value by value, and row by row. */
function told(rows: DataRows): { values: Values[]; rows: unknown[]; sizes: number[] } {
  const found = { values: [] as Values[], rows: [] as unknown[], sizes: [] as number[] };
  const cursor = rows.cursor();
  while (cursor.next()) {
    const row = cursor.row();
    found.rows.push(row);
    found.sizes.push(cursor.size);
    found.values.push(
      row.map((_, column) => ((cursor.lengths[column] ?? 0) < 0 ? null : cursor.text(column))),
    );
  }
  expect(cursor.next()).toBe(false);
  return found;
}

test('rows of several chunks, one behind the other', async () => {
  const all = [['1', 'é"', null], ['', null, '€𝄞'], [], ['2', 'x', 'y']];
  const rows = came([all[0] ?? [], all[1] ?? []], [all[2] ?? []], [all[3] ?? []]);
  expect([rows.length, rows.hasLong]).toEqual([4, false]);
  const sizes = all.map((row) => dataRow(row).length);
  expect(told(rows)).toEqual({ values: all, rows: all, sizes });
  // Again from the beginning, and all at once.
  expect(told(rows).rows).toEqual(all);
  expect(await decodeRows(rows, undefined)).toEqual(all);
});

test('none', () => {
  expect(new DataRows().length).toBe(0);
  expect(told(new DataRows())).toEqual({ values: [], rows: [], sizes: [] });
});

test('more columns than most rows have', () => {
  const many = Array.from({ length: 1664 }, (_, column) => String(column));
  expect(told(came([['a'], many, ['b']])).values).toEqual([['a'], many, ['b']]);
});

test('a long value is told beforehand, and decoded in slices', async () => {
  const long = 'é'.repeat(LONG_TEXT);
  const rows = came(
    [
      ['1', null],
      ['2', long],
    ],
    [['3', 'x']],
  );
  expect([rows.length, rows.hasLong]).toEqual([3, true]);
  expect(await decodeRows(rows, undefined)).toEqual([
    ['1', null],
    ['2', long],
    ['3', 'x'],
  ]);
});
