import { expect, test } from 'vitest';
import { type BatchItem, writeBatches } from '../../../src/run/save/rows/current-rows.ts';
import type { Attempt } from '../../../src/run/write/attempt.ts';
import { WriteStatements } from '../../../src/run/save/rows/write-statements.ts';
import { findDataclass } from '../../../src/model/lookup.ts';
import { readSnapshot, sampleModel, sampleSettings } from '../../fixtures/legacy/model.ts';
import { postgres, tsql } from '../../fixtures/dialects.ts';
import { ClientGone, TimeSlice } from '../../../src/base/time.ts';
import { wholeText } from '../../../src/base/text.ts';
import { longRowsText, rowsText } from '../../../src/run/run.ts';

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

test('what has not been used for longest goes first when there is no more room', async () => {
  const model = await sampleModel(readSnapshot('tsql'));
  const [country, company] = [findDataclass(model, 'Country'), findDataclass(model, 'Company')];
  const store = new WriteStatements(sampleSettings, tsql, 20_000);
  const first = store.deleteRows(country, true, 'one');
  expect(store.deleteRows(country, true, 'one')).toBe(first);
  for (const rows of ['one', 'many'] as const) {
    for (const stamped of [true, false]) store.deleteRows(company, stamped, rows);
  }
  const again = store.deleteRows(country, true, 'one');
  expect(again).not.toBe(first);
  expect(again.text).toBe(first.text);
});

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
  const made = wholeText(await longRowsText(rows, types, postgres, slice));
  expect(made === rowsText(rows, types, postgres)).toBe(true);
  expect(JSON.parse(made)).toEqual(rows.map((row, at) => [at, ...row]));
});

test('the client may be gone meanwhile', async () => {
  const controller = new AbortController();
  const slice = new TimeSlice(controller.signal);
  controller.abort();
  await expect(longRowsText([['"'.repeat(30_000_000)]], types, postgres, slice)).rejects.toThrow(
    ClientGone,
  );
});
