import { expect, test } from 'vitest';
import type { Row } from '../../../src/database/database.ts';
import { decodeTexts, LONG_TEXT, UndecodedText } from '../../../src/database/long-text.ts';
import { readRows, RowReader } from '../../../src/database/postgres/row-reader.ts';
import { dataRow, message } from './messages.ts';

const COMPLETE = message('C', Buffer.from('SELECT 2\0'));
const READY = message('Z', Buffer.from('I'));

/** Reads what comes in these pieces. @returns what happened, in order: rows, and what went on to the driver's parser */
function read(chunks: readonly Buffer[], isAwaited = true): unknown[] {
  const heard: unknown[] = [];
  const reader = new RowReader((bytes) => heard.push(bytes.toString('latin1')));
  const handleRows = (bytes: Buffer, start: number, end: number): void => {
    const rows: Row[] = [];
    readRows(bytes, start, end, rows);
    heard.push(...rows);
  };
  if (isAwaited) reader.sink = { handleRows };
  for (const chunk of chunks) reader.read(chunk);
  return heard;
}

const text = (bytes: Buffer): string => bytes.toString('latin1');

test.each([
  ['nothing', [[]]],
  ['nulls and empty texts', [[null, '', null], ['']]],
  ['ASCII', [['1', 'a"b\\', '\u0000\n\u007f'], ['2']]],
  [
    'ASCII of lengths that look like none',
    [['x'.repeat(0xc3), 'y'.repeat(0x80), 'z'.repeat(0xff)]],
  ],
  ['other characters', [['é', 'plain', '日本', '😀', '\ufefff'], ['ÿ']]],
  ['other characters beside nulls', [['é', null, 'plain']]],
  [
    'long texts',
    [
      ['x'.repeat(257), 'é'.repeat(300), '1'],
      ['2', '😀'.repeat(256)],
    ],
  ],
  ['a length that looks like a character', [['x'.repeat(0xc280), 'é', 'y']]],
  [
    'what is longer than is decoded at once',
    [
      ['x'.repeat(70_000), 'é'],
      ['y'.repeat(70_000), null],
    ],
  ],
])('rows of %s', (_, rows) => {
  expect(read([Buffer.concat([...rows.map(dataRow), COMPLETE])])).toEqual([
    ...rows,
    text(COMPLETE),
  ]);
});

test('wherever what comes is cut, rows come whole and in their order with the rest', () => {
  const [one, other] = [
    ['1', 'é', null],
    ['2', 'x'.repeat(300), ''],
  ];
  const all = Buffer.concat([COMPLETE, dataRow(one), dataRow(other), COMPLETE, READY]);
  const expected = [text(COMPLETE), one, other, text(COMPLETE), text(READY)];
  const flat = (heard: unknown[]): unknown[] =>
    heard.flatMap((part) =>
      part === text(Buffer.concat([COMPLETE, READY])) ? expected.slice(3) : [part],
    );
  for (let at = 1; at < all.length; at += 1) {
    expect(flat(read([all.subarray(0, at), all.subarray(at)]))).toEqual(expected);
  }
  expect(read(Array.from(all, (byte) => Buffer.from([byte])))).toEqual(expected);
});

test('rows that nobody waits for go on to the parser', () => {
  const all = Buffer.concat([dataRow(['1']), READY]);
  expect(read([all], false)).toEqual([text(all)]);
});

test('rows are for whoever waits when they come', () => {
  const heard: string[] = [];
  const reader = new RowReader((bytes) => {
    heard.push(text(bytes));
    reader.sink = null;
  });
  reader.sink = { handleRows: () => heard.push('rows') };
  const row = dataRow(['1']);
  reader.read(Buffer.concat([row, READY, row]));
  expect(heard).toEqual(['rows', text(READY), text(row)]);
});

test('a long value is left as it came, whatever is beside it', async () => {
  const limit = 'x'.repeat(LONG_TEXT);
  const values = [
    ['1', `${limit}y`, null, '€'.repeat(LONG_TEXT), limit],
    [null, '😀'.repeat(LONG_TEXT), 'é'],
  ];
  const bytes = Buffer.concat(values.map(dataRow));
  for (const chunks of [[bytes], [bytes.subarray(0, 400_000), bytes.subarray(400_000)]]) {
    const rows = read(chunks) as Row[];
    expect(rows.map((row) => row.map((cell) => cell instanceof UndecodedText))).toEqual([
      [false, true, false, true, false],
      [false, true, false],
    ]);
    await decodeTexts(rows, undefined);
    expect(rows).toEqual(values);
  }
});
