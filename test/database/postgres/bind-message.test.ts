import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import pg from 'pg';
import { bindMessage } from '../../../src/database/postgres/statement-query.ts';
import { EncodedText } from '../../../src/database/long-text.ts';

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

test('takes bytes of any kind', () => {
  const bytes = new Uint8Array([1, 2, 3, 4]).subarray(1, 3);
  const message = Buffer.concat(bindMessage('', [bytes]));
  expect(message).toEqual(driversOwn({ statement: '', values: [Buffer.from([2, 3])] }));
});
