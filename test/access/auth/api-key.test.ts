import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  apiKeyHash,
  isApiKey,
  looksLikeApiKey,
  makeApiKey,
} from '../../../src/access/auth/api-keys.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'.split(/(?:)/u);

test('a key that was made is one, and no two are the same', () => {
  const keys = Array.from({ length: 200 }, makeApiKey);
  for (const key of keys) {
    expect(key).toMatch(/^egk_[\w-]{48}$/);
    expect([isApiKey(key), looksLikeApiKey(key)]).toEqual([true, true]);
  }
  expect(new Set(keys).size).toBe(200);
});

test('a key with any one character mistyped is none', () => {
  fc.assert(
    fc.property(fc.nat(47), fc.constantFrom(...ALPHABET), (index, character) => {
      const key = makeApiKey();
      const at = 'egk_'.length + index;
      fc.pre(key[at] !== character);
      expect(isApiKey(key.slice(0, at) + character + key.slice(at + 1))).toBe(false);
    }),
  );
});

test('a key that was cut off, or has something around it, is none, nor is any text', () => {
  const key = makeApiKey();
  for (const text of [key.slice(0, -1), `${key}A`, ` ${key}`, `${key}\n`, key.slice(4), 'egk_']) {
    expect(isApiKey(text), text).toBe(false);
  }
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(isApiKey(`egk_${text}`)).toBe(false);
    }),
  );
});

test('a key is known by the SHA-256 of its text, as sha256sum has it', () => {
  const key = makeApiKey();
  expect(apiKeyHash(key)).toBe(createHash('sha256').update(key, 'ascii').digest('hex'));
});
