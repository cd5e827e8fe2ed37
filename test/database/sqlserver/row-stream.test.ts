import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import type { Row } from '../../../src/database/database.ts';
import { decodeTexts } from '../../../src/database/long-text.ts';
import { RowStream, type RowShape } from '../../../src/database/sqlserver/row-stream.ts';
import { columnsToken, done, doneInProc, errorToken, returnValue } from './tds-tokens.ts';

const options = { tdsVersion: '7_4', useUTC: true };

interface Read {
  readonly names: (readonly string[])[];
  readonly rows: Row[];
  readonly tokens: string[];
  readonly stream: RowStream;
  readonly message: PassThrough;
}

/** Reads what a server sends. @param onRow is told of each row as it is taken */
function reading(shape: RowShape = { columns: null }, onRow?: (stream: RowStream) => void): Read {
  const message = new PassThrough();
  const names: (readonly string[])[] = [];
  const rows: Row[] = [];
  const tokens: string[] = [];
  const handler = new Proxy(
    {},
    {
      get: (_, name) => () => {
        tokens.push(String(name));
      },
    },
  );
  const taker = {
    begin: (columns: readonly string[]) => {
      names.push(columns);
    },
    take: (row: Row) => {
      rows.push(row);
      onRow?.(stream);
    },
  };
  const stream = new RowStream(message, handler, options, { taker, shape });
  return { names, rows, tokens, stream, message };
}

/** Sends pieces, one after the other, and waits for the end. */
async function read(pieces: readonly Buffer[], shape?: RowShape): Promise<Read> {
  const found = reading(shape);
  const ended = once(found.stream, 'end');
  for (const piece of pieces) found.message.write(piece);
  found.message.end();
  await ended;
  return found;
}

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
const uint16 = (value: number): Buffer => Buffer.from([value & 255, value >> 8]);
const uint32 = (value: number): Buffer =>
  Buffer.concat([uint16(value % 65_536), uint16(value >>> 16)]);
/** Latin1_General_CI_AS: code page 1252. */
const COLLATION = hex('09 04 d0 00 34');
/** Of UTF-8. */
const UTF8 = hex('09 04 d0 04 00');
const max = uint16(0xffff);

/** A value in parts. @param length how long it says that it is as a whole; unknown where it is left out */
function parts(values: readonly Buffer[], length?: number): Buffer {
  const whole =
    length === undefined ? hex('fe ff ff ff ff ff ff ff') : hex('00 00 00 00 00 00 00 00');
  if (length !== undefined) whole.writeUInt32LE(length);
  return Buffer.concat([
    whole,
    ...values.flatMap((value) => [uint32(value.length), value]),
    uint32(0),
  ]);
}

/** Types as they stand in the description of columns, cells, and what they are read as. */
const cells: readonly (readonly [type: Buffer, cell: Buffer, value: unknown])[] = [
  [hex('30'), hex('ff'), 255],
  [hex('34'), hex('fe ff'), -2],
  [hex('38'), hex('01 00 00 80'), -2147483647],
  [hex('7f'), hex('ff ff ff ff ff ff 1f 00'), '9007199254740991'],
  [hex('7f'), hex('ff ff ff ff ff ff ff ff'), '-1'],
  [hex('7f'), hex('00 00 00 00 00 00 00 80'), '-9223372036854775808'],
  [hex('32'), hex('01'), true],
  [hex('68 01'), hex('01 00'), false],
  [hex('68 01'), hex('00'), null],
  [hex('26 01'), hex('01 07'), 7],
  [hex('26 02'), hex('02 ff ff'), -1],
  [hex('26 08'), hex('08 00 00 00 00 01 00 00 00'), '4294967296'],
  [hex('26 04'), hex('00'), null],
  [hex('6d 04'), hex('04 00 00 c0 3f'), 1.5],
  [hex('6d 08'), hex('08 9a 99 99 99 99 99 b9 3f'), 0.1],
  [hex('6e 08'), hex('08 00 00 00 80 00 00 00 00'), '-922337203685477.5808'],
  [hex('6e 08'), hex('08 ff ff ff ff ff ff ff ff'), '-0.0001'],
  [hex('6e 04'), hex('04 10 27 00 00'), '1.0000'],
  [hex('6a 05 05 02'), hex('05 00 05 00 00 00'), '-0.05'],
  [hex('6a 05 05 02'), hex('05 00 00 00 00 00'), '0.00'],
  [hex('6c 09 0a 00'), hex('09 01 ff ff ff ff 00 00 00 00'), '4294967295'],
  [hex('6c 09 13 01'), hex('09 01 ff ff ff ff ff ff ff 7f'), '922337203685477580.7'],
  [hex('6c 11 26 03'), hex('11 01 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00'), '0.001'],
  [
    hex('6c 11 26 00'),
    hex('11 00 00 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00'),
    '-18446744073709551616',
  ],
  [hex('28'), hex('03 00 00 00'), '0001-01-01'],
  [hex('28'), hex('03 da b9 37'), '9999-12-31'],
  [hex('28'), hex('00'), null],
  [hex('29 07'), hex('05 ff bf 69 2a c9'), '23:59:59.9999999'],
  [hex('29 00'), hex('03 01 00 00'), '00:00:01'],
  [hex('2a 02'), hex('06 e8 03 00 96 95 0a'), '1900-03-01T00:00:10.00'],
  [hex('2b 00'), hex('08 3c 00 00 96 95 0a 78 00'), '1900-03-01T00:01:00'],
  [hex('3d'), hex('00 00 00 00 01 00 00 00'), '1900-01-01T00:00:00.003'],
  [hex('3d'), hex('46 2e ff ff ff 81 8b 01'), '1753-01-01T23:59:59.997'],
  [hex('6f 04'), hex('04 ff ff 9f 05'), '2079-06-06T23:59:00'],
  [
    hex('24 10'),
    hex('10 ff 19 96 6f 86 8b 11 d0 b4 2d 00 c0 4f c9 64 fe'),
    '6f9619ff-8b86-d011-b42d-00c04fc964fe',
  ],
  [Buffer.concat([hex('e7 08 00'), COLLATION]), hex('04 00 fc 00 ac 20'), 'ü€'],
  [Buffer.concat([hex('e7 08 00'), COLLATION]), hex('ff ff'), null],
  [Buffer.concat([hex('a7 08 00'), COLLATION]), hex('02 00 fc 80'), 'ü€'],
  [Buffer.concat([hex('af 03 00'), COLLATION]), hex('03 00 61 20 20'), 'a  '],
  [Buffer.concat([hex('a7 08 00'), UTF8]), hex('03 00 e2 82 ac'), '€'],
  [Buffer.concat([hex('e7'), max, COLLATION]), parts([utf16('ab'), utf16('c')]), 'abc'],
  [Buffer.concat([hex('e7'), max, COLLATION]), parts([utf16('ab')], 4), 'ab'],
  [Buffer.concat([hex('e7'), max, COLLATION]), parts([], 0), ''],
  [Buffer.concat([hex('e7'), max, COLLATION]), hex('ff ff ff ff ff ff ff ff'), null],
  [Buffer.concat([hex('a7'), max, COLLATION]), parts([hex('fc'), hex('80')]), 'ü€'],
  [Buffer.concat([hex('a5'), max]), parts([hex('01'), hex('02')], 2), hex('01 02')],
  [hex('a5 04 00'), hex('02 00 01 02'), hex('01 02')],
  // A sql_variant that holds an int, which the driver itself reads.
  [hex('62 11 1f 00 00'), hex('06 00 00 00 38 00 2a 00 00 00'), 42],
];

const types = cells.map(([type], index) => [`n${index}`, type] as const);
const values = cells.map(([, , value]) => value);
const row = Buffer.concat([hex('d1'), ...cells.map(([, cell]) => cell)]);

it.each(cells.map(([type, cell, value]) => [type.toString('hex'), value, type, cell] as const))(
  'reads a cell of the type %s: %s',
  async (_, value, type, cell) => {
    const { rows } = await read([columnsToken(['a', type]), hex('d1'), cell, done()]);
    expect(rows).toEqual([[value]]);
  },
);

it('reads rows wherever the answer is cut', async () => {
  const answer = Buffer.concat([
    columnsToken(...types),
    row,
    errorToken(50_000, 'no'),
    row,
    doneInProc(),
    returnValue('@x', 5),
    done(),
  ]);
  const whole = { rows: [values, values], tokens: ['onErrorMessage', 'onDoneInProc', 'onDone'] };
  expect(await read([answer])).toMatchObject(whole);
  expect(await read(Array.from(answer, (byte) => Buffer.from([byte])))).toMatchObject(whole);
  for (let at = 1; at < answer.length; at += 7) {
    expect(await read([answer.subarray(0, at), answer.subarray(at)])).toMatchObject(whole);
  }
});

it('reads rows that say of each column whether it is null', async () => {
  const nulls = cells.map(([, cell], index) => (index % 3 === 0 ? Buffer.alloc(0) : cell));
  const bits = Buffer.alloc(Math.ceil(cells.length / 8));
  cells.forEach((_, index) => {
    if (index % 3 === 0) bits[index >> 3] = (bits[index >> 3] ?? 0) | (1 << (index & 7));
  });
  const answer = Buffer.concat([columnsToken(...types), hex('d2'), bits, ...nulls, done()]);
  const expected = [values.map((value, index) => (index % 3 === 0 ? null : value))];
  expect((await read([answer])).rows).toEqual(expected);
  expect((await read(Array.from(answer, (byte) => Buffer.from([byte])))).rows).toEqual(expected);
});

it('reads the columns of each result, and those of a statement that is run again', async () => {
  const int = hex('38');
  const one = Buffer.concat([columnsToken(['a', int]), hex('d1 01 00 00 00')]);
  const two = Buffer.concat([columnsToken(['b', int], ['c', hex('30')]), hex('d1 02 00 00 00 03')]);
  const shape: RowShape = { columns: null };
  const expected = { names: [['a'], ['b', 'c'], ['b', 'c']], rows: [[1], [2, 3], [2, 3]] };
  expect(await read([one, two, two, done()], shape)).toMatchObject(expected);
  expect(await read([one, two, two, done()], shape)).toMatchObject(expected);
  const renamed = Buffer.concat([columnsToken(['d', int]), hex('d1 04 00 00 00')]);
  expect(await read([renamed, done()], shape)).toMatchObject({ names: [['d']], rows: [[4]] });
});

/** The same bytes in packets, as a server sends them. */
function packets(sent: Buffer): Buffer[] {
  return Array.from({ length: Math.ceil(sent.length / 4088) }, (_, at) =>
    sent.subarray(at * 4088, at * 4088 + 4088),
  );
}

function isEqual(value: unknown, expected: unknown): boolean {
  return Buffer.isBuffer(value) ? value.equals(expected as Buffer) : value === expected;
}

it('reads long values of every kind, several in a row and in the next one', async () => {
  const long = 'ü'.repeat(200_000);
  const bytes = Buffer.alloc(400_000, 'ü', 'latin1');
  const types = [
    Buffer.concat([hex('e7'), max, COLLATION]),
    Buffer.concat([hex('a7'), max, COLLATION]),
    Buffer.concat([hex('a7'), max, UTF8]),
    Buffer.concat([hex('a5'), max]),
    hex('38'),
  ];
  const row = Buffer.concat([
    hex('d1'),
    parts([utf16(long)], 400_000),
    parts([bytes.subarray(0, 300_000)], 300_000),
    parts([Buffer.from(long).subarray(0, 3), Buffer.from(long).subarray(3)]),
    parts([bytes], bytes.length),
    hex('07 00 00 00'),
  ]);
  const named = types.map((type, index) => [`n${index}`, type] as const);
  const answer = Buffer.concat([columnsToken(...named), row, row, done()]);
  const expected = [long, 'ü'.repeat(300_000), long, bytes, 7];
  for (const pieces of [[answer], packets(answer), [answer.subarray(0, 9), answer.subarray(9)]]) {
    const { rows } = await read(pieces);
    await decodeTexts(rows, undefined);
    const isSame = rows.map((row) => row.map((value, at) => isEqual(value, expected[at])));
    expect(isSame).toEqual(Array(2).fill(Array(5).fill(true)));
  }
});

it('reads no further while it is paused', async () => {
  const answer = Buffer.concat([columnsToken(['a', hex('30')]), hex('d1 01 d1 02 d1 03'), done()]);
  const found = reading(undefined, (stream) => {
    stream.pause();
  });
  const ended = once(found.stream, 'end');
  found.message.end(answer);
  for (const count of [1, 2, 3]) {
    await expect.poll(() => found.rows.length).toBe(count);
    expect(found.tokens).toEqual([]);
    found.stream.resume();
  }
  await ended;
  expect(found).toMatchObject({ rows: [[1], [2], [3]], tokens: ['onDone'] });
});

it.each([
  ['a token of an unknown type', hex('00'), 'there is no token of the type 0'],
  ['a row without columns', hex('d1 01'), 'a row came before its columns'],
  [
    'an end within a row',
    Buffer.concat([columnsToken(['a', hex('38')]), hex('d1 01')]),
    'the answer ended too early',
  ],
  [
    'a length that no value has',
    Buffer.concat([columnsToken(['a', hex('26 04')]), hex('d1 03 01 01 01')]),
    'no value has 3 bytes',
  ],
])('fails by %s', async (_, answer, message) => {
  const { stream, message: sent } = reading();
  const failed = once(stream, 'error');
  sent.end(answer);
  expect(await failed).toEqual([new Error(message)]);
});
