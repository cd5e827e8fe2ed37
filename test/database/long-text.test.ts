import { expect, test } from 'vitest';
import { ClientGone } from '../../src/base/time.ts';
import { connectionOn } from '../../src/database/connection.ts';
import type { ResultSet, Row } from '../../src/database/database.ts';
import type { DriverCommand, DriverConnection } from '../../src/database/driver.ts';
import {
  decodeTexts,
  EncodedText,
  encodeTexts,
  LONG_TEXT,
  UndecodedText,
  utf16le,
  utf8,
} from '../../src/database/long-text.ts';
import { gatewayContext } from '../../src/base/observe/observer.ts';
import { plainStatement } from '../../src/sql/ir/statement.ts';
import { fakeDatabase } from './fake-driver.ts';

/** Characters of 2, 3 and 4 bytes in UTF-8, none of which divides the length of a piece. */
const MIXED = 'aé€😀'.repeat(60_000);

async function decoded(...rows: unknown[][]): Promise<readonly Row[]> {
  await decodeTexts(rows, undefined);
  return rows;
}

/** Bytes in parts of so many. */
function cut(bytes: Buffer, length: number): Buffer[] {
  const count = Math.ceil(bytes.length / length);
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * length, (at + 1) * length));
}

test('a text is decoded of parts, wherever they are cut', async () => {
  for (const length of [1, 7, 1000, LONG_TEXT + 1]) {
    const text = MIXED.slice(0, length * 20_001);
    const rows = await decoded(
      [new UndecodedText(cut(Buffer.from(text), length), utf8)],
      [new UndecodedText(cut(Buffer.from(text, 'utf16le'), length), utf16le)],
    );
    for (const [found] of rows) expect(found === text).toBe(true);
  }
});

test('short texts of parameters stay, long ones are encoded as the engine takes them', async () => {
  const limit = 'a'.repeat(262_144);
  const bytes = Buffer.alloc(300_000);
  const values = ['', null, bytes, limit, `${limit}é`, MIXED, ['[', MIXED, ',"😀"', ']'], ['x']];
  for (const encoding of ['utf8', 'utf16le'] as const) {
    const sent = await encodeTexts(values, encoding, undefined);
    expect([0, 1, 2, 3].map((at) => sent[at] === values[at])).toEqual(Array(4).fill(true));
    const texts = sent.slice(4).map((value) => {
      if (!(value instanceof EncodedText)) throw new Error('it is not encoded');
      const encoded = Buffer.concat(value.pieces);
      expect(encoded).toHaveLength(value.length);
      return encoded.toString(encoding);
    });
    expect(texts).toEqual([`${limit}é`, MIXED, `[${MIXED},"😀"]`, 'x']);
  }
});

test('no pair of a text is torn where its pieces are encoded', async () => {
  const text = `a${'😀'.repeat(300_000)}`;
  const [sent] = await encodeTexts([text], 'utf8', undefined);
  const { pieces } = sent as EncodedText;
  expect(pieces.length).toBeGreaterThan(2);
  expect(pieces.map((piece) => piece.toString()).join('') === text).toBe(true);
});

test.each([LONG_TEXT + 1, 2 * LONG_TEXT, 4 * LONG_TEXT, 4 * LONG_TEXT + 1])(
  'no piece is empty of a text of %i characters',
  async (length) => {
    for (const text of ['x'.repeat(length), ['x'.repeat(length), ''], ['', 'x'.repeat(length)]]) {
      const [sent] = await encodeTexts([text], 'utf16le', undefined);
      if (!(sent instanceof EncodedText)) throw new Error('it is not encoded');
      expect(sent.pieces.map((piece) => piece.length)).not.toContain(0);
      expect(sent.length).toBe(2 * length);
    }
  },
);

test('the client may be gone before, or meanwhile', async () => {
  const long = 'é'.repeat(20_000_000);
  const rows = [[new UndecodedText([Buffer.from(long)], utf8)]];
  const gone = AbortSignal.abort();
  await expect(decodeTexts(rows, gone)).rejects.toThrow(ClientGone);
  await expect(encodeTexts([long], 'utf8', gone)).rejects.toThrow(ClientGone);
  const leaving = new AbortController();
  const both = [decodeTexts(rows, leaving.signal), encodeTexts([long], 'utf8', leaving.signal)];
  leaving.abort();
  for (const work of both) await expect(work).rejects.toThrow(ClientGone);
  expect(rows[0]?.[0]).toBeInstanceOf(UndecodedText);
});

test('a connection gives its driver encoded texts, and has decoded what the driver left', async () => {
  const { driver, connection } = fakeDatabase();
  const sent: DriverCommand[] = [];
  const rows = (): unknown[][] => [[new UndecodedText([Buffer.from(MIXED)], utf8)]];
  const noting =
    <Answer>(answer: () => Answer) =>
    (command: DriverCommand): Promise<Answer> => {
      sent.push(command);
      return Promise.resolve(answer());
    };
  const result = (): ResultSet => ({ columns: ['a'], rows: rows() });
  const answering: DriverConnection = {
    ...connection,
    run: noting(result),
    call: noting(() => [result(), result()]),
    open: noting(() => {
      const batches = [rows(), rows()];
      const next = (): Promise<Row[]> => Promise.resolve(batches.shift() ?? []);
      return { next, close: () => Promise.resolve() };
    }),
  };
  const on = connectionOn(answering, { ...driver, textEncoding: 'utf16le' }, 'unknown');
  const command = { statement: plainStatement('SELECT'), values: ['1', MIXED] };
  expect((await on.run(command, gatewayContext)).rows).toEqual([[MIXED]]);
  const called = await on.call(command, gatewayContext);
  expect(called.map((result) => result.rows)).toEqual([[[MIXED]], [[MIXED]]]);
  const streamed: unknown[] = [];
  for await (const batch of on.stream(command, gatewayContext)) streamed.push(batch);
  expect(streamed).toEqual([[[MIXED]], [[MIXED]]]);
  expect(sent).toHaveLength(3);
  for (const { values } of sent) {
    const [short, long] = values as readonly [string, EncodedText];
    expect(short).toBe('1');
    expect(Buffer.concat(long.pieces).toString('utf16le') === MIXED).toBe(true);
  }
});
