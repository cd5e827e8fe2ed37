import { expect, test } from 'vitest';
import { ProtocolError } from '../../../src/base/errors.ts';
import type { RowHash } from '../../../src/base/row-hash.ts';
import { stampReader } from '../../../src/run/run.ts';
import { Refused } from '../../../src/run/write/attempt.ts';
import type { Element } from '../../../src/run/write/outcome.ts';
import { dryRun } from '../../../src/run/write/transactions.ts';
import type { Reader } from '../../../src/sql/ir/statement.ts';
import { execution, writeContext } from '../fakes.ts';

test('a dry run ends after so many attempts, and says so of the elements that are left', async () => {
  const items = Array.from({ length: 1000 }, (_, index) => ({ index, key: [String(index)] }));
  let tries = 0;
  const result = await dryRun(
    items,
    writeContext('save', false),
    execution([]),
    (some, refused) => {
      tries += 1;
      if (some.length > 0) throw new Refused(new ProtocolError('brokenRule', 'Not so.'));
      return Promise.resolve(refused.map(({ failure }) => failure.error.errorName));
    },
  );
  expect(tries).toBeLessThan(1000);
  expect([result.length, new Set(result)]).toEqual([
    1000,
    new Set(['brokenRule', 'tooManyRefused']),
  ]);
});

test('what is accepted shares its statements with what is tried, and the one that is refused is told of as itself', async () => {
  const items = Array.from({ length: 8 }, (_, index): Element => ({ index, key: [String(index)] }));
  const tries: (readonly number[])[] = [];
  const result = await dryRun(
    items,
    writeContext('save', false),
    execution([]),
    (some, refused, { oneByOne }) => {
      expect(oneByOne).toBe(false);
      tries.push(some.map(({ index }) => index));
      if (some.some(({ index }) => index % 4 === 2)) {
        const reason = new ProtocolError('brokenRule', 'Not so.');
        const ofFirst = {
          errorName: 'entityNotSaved',
          message: `Thing(${some[0]?.index}) was not saved.`,
        } as const;
        throw new Refused(reason.leadingTo(ofFirst), [], reason);
      }
      const told = refused.map(({ failure }) => failure.error.toItems().map((one) => one.message));
      return Promise.resolve({ saved: some.map(({ index }) => index), told });
    },
  );
  expect(result).toEqual({
    saved: [0, 1, 3, 4, 5, 7],
    told: [
      ['Not so.', 'Thing(2) was not saved.'],
      ['Not so.', 'Thing(6) was not saved.'],
    ],
  });
  expect(tries).toEqual([
    [0, 1, 2, 3, 4, 5, 6, 7],
    [0, 1, 2, 3],
    [0, 1],
    [0, 1, 2, 3],
    [0, 1, 2],
    [2],
    [0, 1, 3],
    [0, 1, 3, 4, 5, 6, 7],
    [0, 1, 3, 4, 5],
    [0, 1, 3, 4, 5, 6, 7],
    [0, 1, 3, 4, 5, 6],
    [6],
    [0, 1, 3, 4, 5, 7],
  ]);
});

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
