import { expect, test } from 'vitest';
import { derivedKey, keyedHash } from '../../src/base/hashes.ts';

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
