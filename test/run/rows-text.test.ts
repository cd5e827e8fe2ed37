import { expect, test } from 'vitest';
import { ClientGone, TimeSlice } from '../../src/base/time.ts';
import { wholeText } from '../../src/base/text.ts';
import { areLong, longRowsText, rowsText } from '../../src/run/run.ts';
import { postgres as dialect } from '../fixtures/dialects.ts';

const text = { kind: 'text', native: 'text', maxLength: null, padded: false } as const;
const types = [text, { kind: 'integer', bits: 32, signed: true, native: 'int4' } as const];

test('rows with long texts become the same JSON in slices', async () => {
  const long = [
    '😀'.repeat(400_000),
    '"\\\n\ud800'.repeat(300_000),
    `${'a'.repeat(262_143)}😀${'b'.repeat(300_000)}`,
  ];
  const rows = [
    ...long.map((cell, at) => [cell, String(at)]),
    ...[
      [null, null],
      ['', '-1'],
      ['"é"', null],
      [long[0] ?? '', null],
    ],
  ];
  const slice = new TimeSlice();
  const made = wholeText(await longRowsText(rows, types, dialect, slice));
  expect(made === rowsText(rows, types, dialect)).toBe(true);
  expect(JSON.parse(made)).toEqual(rows.map((row, at) => [at, ...row]));
});

test('others become it at once', () => {
  expect([areLong([]), areLong([[null, 'a'.repeat(1000)]])]).toEqual([false, false]);
  expect(areLong([['a'], [null, 'a'.repeat(600_000)]])).toBe(true);
  expect(areLong(Array.from({ length: 6 }, () => ['a'.repeat(100_000)]))).toBe(true);
});

test('the client may be gone meanwhile', async () => {
  const controller = new AbortController();
  const slice = new TimeSlice(controller.signal);
  controller.abort();
  await expect(longRowsText([['"'.repeat(30_000_000)]], types, dialect, slice)).rejects.toThrow(
    ClientGone,
  );
});
