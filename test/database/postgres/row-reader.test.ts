import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import pg from 'pg';
import type { Row } from '../../../src/database/database.ts';
import {
  decodeRows,
  decodeTexts,
  EncodedText,
  LONG_TEXT,
  UndecodedText,
} from '../../../src/database/long-text.ts';
import { DataRows, readRows, RowReader } from '../../../src/database/postgres/row-reader.ts';
import { dataRow, message } from './messages.ts';
import { bindMessage, type Filtered } from '../../../src/database/postgres/statement-query.ts';
import { Selectivity } from '../../../src/database/postgres/selectivity.ts';

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

const x = (count: number): string => 'x'.repeat(count);
const y = (count: number): string => 'y'.repeat(count);

test.each<[string, (string | null)[][]]>([
  ['nothing', [[]]],
  ['nulls and empty texts', [[null, '', null], ['']]],
  ['ASCII', [['1', 'a"b\\', '\u0000\n\u007f'], ['2']]],
  ['ASCII of lengths that look like none', [[x(0xc3), y(0x80), x(0xff)]]],
  ['other characters', [['é', 'plain', '日本', '😀', '\ufefff'], ['ÿ']]],
  ['other characters beside nulls', [['é', null, 'plain']]],
  [
    'long texts',
    [
      [x(257), 'é'.repeat(300), '1'],
      ['2', '😀'.repeat(256)],
    ],
  ],
  ['a length that looks like a character', [[x(0xc280), 'é', 'y']]],
  [
    'what is longer than is decoded at once',
    [
      [x(70_000), 'é'],
      [y(70_000), null],
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

interface Bind {
  readonly statement: string;
  readonly values: readonly (string | Buffer | null)[];
}

/** What the driver itself sends. */
function driversOwn(query: Bind): Buffer {
  const stream = new PassThrough();
  const connection = new pg.Connection({ stream } as unknown as pg.ConnectionConfig);
  (connection as unknown as { readonly bind: (query: Bind) => void }).bind(query);
  return stream.read() as Buffer;
}

test.each([
  ['', []],
  ['entitygate_1', ['a', null, '', 'é😀', Buffer.from([0, 255]), Buffer.alloc(0)]],
])('is what the driver makes of the same values (%s)', (statement, values) => {
  const message = Buffer.concat(bindMessage(statement, values));
  expect(message).toEqual(driversOwn({ statement, values }));
});

test('has long texts in their pieces, of which none is copied', () => {
  const pieces = [Buffer.from('a'.repeat(300_000)), Buffer.from('é😀'), Buffer.alloc(0)];
  const parts = bindMessage('x', ['1', new EncodedText(pieces), null]);
  for (const piece of pieces) expect(parts).toContain(piece);
  const values = ['1', `${'a'.repeat(300_000)}é😀`, null];
  expect(Buffer.concat(parts).equals(driversOwn({ statement: 'x', values }))).toBe(true);
});

test('whether few rows have a value is asked for once in ten minutes, and not so until it is known', async () => {
  let now = 0;
  const asked: string[] = [];
  let answers: (readonly Row[] | Error)[] = [];
  const few = new Selectivity(
    (_statement, values) => {
      asked.push(values.join('.'));
      const answer = answers.shift() ?? [];
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
    () => now,
  );
  const ask = async (...columns: string[]): Promise<boolean> => {
    const filtered: Filtered = columns.map((name) => {
      const [table = '', column = ''] = name.split('.');
      return { schema: 's', table, column, isRelated: false };
    });
    const found = few.isSelective(filtered);
    await new Promise(setImmediate);
    return found;
  };
  answers = [[['a'], ['c']], new Error('away'), [['a']], [['a']]];
  expect([await ask('t.a'), await ask('t.a'), await ask('t.b'), await ask('t.c')]).toEqual([
    ...[false, true, false, true],
  ]);
  // All of several columns have to be; what cannot be learnt is not so.
  expect([await ask('t.a', 'u.a'), await ask('t.a', 'u.a'), asked]).toEqual([
    ...[false, false],
    ['s.t', 's.u'],
  ]);
  now = 599_999;
  expect([await ask('t.a'), asked.length]).toEqual([true, 2]);
  // The answer holds until the next one is there.
  now = 600_000;
  expect([await ask('t.a', 'u.a'), asked.slice(2)]).toEqual([false, ['s.t', 's.u']]);
  expect([await ask('t.a', 'u.a'), await ask('t.c'), asked.length]).toEqual([true, false, 4]);
});
