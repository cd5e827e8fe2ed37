import { expect, test } from 'vitest';
import { derivedKey, keyedHash, stableUuid } from '../../src/base/hashes.ts';
import { type RowHash, rowHash } from '../../src/base/row-hash.ts';
import { hashed } from './hashed.ts';

test('a keyed hash has 53 bits, and is another one by each text and each key', () => {
  const texts = Array.from({ length: 1000 }, (_, index) => `text ${index}`);
  const hashes = texts.map(keyedHash('a key'));
  expect(hashes.every((hash) => Number.isSafeInteger(hash) && hash >= 0)).toBe(true);
  expect(Math.max(...hashes)).toBeGreaterThan(2 ** 52);
  expect(new Set([...hashes, ...texts.map(keyedHash('another key'))]).size).toBe(2000);
  expect(texts.map(keyedHash('a key'))).toEqual(hashes);
});

test('a derived key is the same for one secret and one purpose', () => {
  const key = derivedKey('secret', 'stamps');
  expect(key).toMatch(/^[0-9a-f]{64}$/);
  expect(derivedKey('secret', 'stamps')).toBe(key);
  expect(derivedKey('secret', 'sets')).not.toBe(key);
  expect(derivedKey('secret!', 'stamps')).not.toBe(key);
});

test('names give one identifier on every machine, wherever the one ends and the other begins', () => {
  expect(stableUuid('Legacy ERP', 'Employee')).toBe('8DB5D1B5B8385E8D9F138F6090F8291A');
  const all = [['ab', 'c'], ['a', 'bc'], ['abc'], ['abc', ''], ['', 'abc'], ['🚀']].map((names) =>
    stableUuid(...names),
  );
  expect(new Set(all).size).toBe(all.length);
  for (const uuid of all) expect(uuid).toMatch(/^[0-9A-F]{12}5[0-9A-F]{3}[89AB][0-9A-F]{15}$/);
});

/** Adds a text by its bytes, which stand among others. */
function addAsBytes(hash: RowHash, cell: string): void {
  const bytes = Buffer.from(`before${cell}behind`);
  hash.addBytes(bytes, 6, bytes.length - 6);
}

const newHash = (): RowHash => rowHash('a key', 'app.article');

const rows: readonly (readonly (string | null)[])[] = [
  [],
  [''],
  [null],
  ['1', null, 'Article 1', '2.50'],
  ['1', null, 'Zoë', 'Ω'],
  ['x'.repeat(10), 'x'.repeat(64), 'x'.repeat(65)],
  ['é'.repeat(64), '日本'.repeat(1000)],
  ['y'.repeat(100_000), null],
  ['behind a long one'],
];

test('texts and their bytes have the same hash', () => {
  const shared = newHash();
  const ofTexts = rows.map((row) => hashed(row, newHash()));
  expect(rows.map((row) => hashed(row, newHash(), addAsBytes))).toEqual(ofTexts);
  expect(rows.map((row) => hashed(row, shared, addAsBytes))).toEqual(ofTexts);
  expect(new Set(ofTexts).size).toBe(rows.length);
});

test.each([
  ['the border of two cells moves', ['ab', 'c'], ['a', 'bc']],
  ['a cell looks like a border', ['a1:b'], ['a', 'b']],
  ['a null becomes its sign', [null], ['-']],
  ['a null becomes empty', [null], ['']],
  ['two cells change places', ['a', 'b'], ['b', 'a']],
])('differs when %s', (_, one, two) => {
  expect(hashed(one, newHash())).not.toBe(hashed(two, newHash()));
});

test('differs by key and by table', () => {
  const hashes = [
    newHash(),
    rowHash('another key', 'app.article'),
    rowHash('a key', 'app.other'),
  ].map((hash) => hashed(['1'], hash));
  expect(new Set(hashes).size).toBe(3);
  expect(Math.max(...hashes)).toBeLessThan(2 ** 53);
});
