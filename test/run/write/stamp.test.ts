import { expect, test } from 'vitest';
import type { RowHash } from '../../../src/base/row-hash.ts';
import { stampReader } from '../../../src/run/run.ts';
import type { Reader } from '../../../src/sql/ir/statement.ts';

const reader: Reader = { json: (value) => JSON.stringify(value), text: (value) => String(value) };
const readers = [reader, reader, reader];

test('a stamp of the engine is its digits', () => {
  expect(stampReader({ kind: 'column', column: 1 }, readers)([0, 9007199254740991n, 0])).toBe(
    '9007199254740991',
  );
});

test('an entity without a stamp has 1', () => {
  expect(stampReader({ kind: 'none' }, [])([])).toBe('1');
});

/** Tells what it is given in place of hashing it. */
function recorded(hash: number): RowHash & { readonly rows: readonly (string | null)[][] } {
  const rows: (string | null)[][] = [];
  return {
    rows,
    begin: () => rows.push([]),
    addNull: () => rows.at(-1)?.push(null),
    addText: (text) => rows.at(-1)?.push(text),
    addBytes: (bytes, from, to) => {
      rows.at(-1)?.push(Buffer.from(bytes.subarray(from, to)).toString());
    },
    end: () => hash,
  };
}

test.each([
  [53, 5, '5'],
  [53, 2 ** 53 - 1, '9007199254740991'],
  [53, 0, '9007199254740991'],
  [31, 2 ** 31 + 7, '7'],
  [31, 3 * 2 ** 31, '2147483647'],
  [31, 0, '2147483647'],
] as const)('a hash in %i bits: %i is %s', (bits, hash, stamp) => {
  const fixed = recorded(hash);
  const read = stampReader({ kind: 'hash', columns: [0], hash: fixed, bits }, readers);
  expect(read(['x'])).toBe(stamp);
});

test('a hash is made of the columns it names, in their order, as text and null', () => {
  const hash = recorded(1);
  const read = stampReader({ kind: 'hash', columns: [2, 0], hash, bits: 53 }, readers);
  expect([read(['a', 'b', 7]), read([null, 'b', ''])]).toEqual(['1', '1']);
  expect(hash.rows).toEqual([
    ['7', 'a'],
    ['', null],
  ]);
});
