import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  apiKeyHash,
  ApiKeys,
  isApiKey,
  looksLikeApiKey,
  makeApiKey,
} from '../../../src/access/auth/api-keys.ts';
import { refusal, testClock } from './support.ts';

const first = makeApiKey();
const second = makeApiKey();

function opened(expires?: string): { keys: ApiKeys; pass: (seconds: number) => void } {
  const clock = testClock();
  const keys = new ApiKeys(
    [
      {
        name: 'reporting',
        hash: `sha256:${apiKeyHash(first).toUpperCase()}`,
        roles: ['reader'],
        claims: { region: 'North', regions: ['North', 'South'] },
        expires,
      },
      { name: 'import', hash: `sha256:${apiKeyHash(second)}`, roles: [], claims: {} },
    ],
    clock,
  );
  return { keys, pass: clock.pass };
}

test('a key stands for its entry, whose name is a claim as well', () => {
  const { keys } = opened();
  expect(keys.holder(first)).toEqual({
    name: 'reporting',
    roles: ['reader'],
    claims: new Map<string, unknown>([
      ['region', 'North'],
      ['regions', ['North', 'South']],
      ['user', 'reporting'],
    ]),
  });
  expect(keys.holder(second)).toEqual({
    name: 'import',
    roles: [],
    claims: new Map([['user', 'import']]),
  });
});

test.each([
  ['2026-11-23', 12 * 3600],
  ['2026-11-22T13:00:00Z', 3600],
  ['2026-11-22T14:00:00+01:00', 3600],
])('a key that expires %s is taken until then', async (expires, seconds) => {
  const { keys, pass } = opened(expires);
  pass(seconds - 1);
  expect(keys.holder(first).name).toBe('reporting');
  pass(1);
  expect(await refusal(() => keys.holder(first))).toEqual([
    'notLoggedIn',
    'The API key has expired.',
  ]);
  expect(keys.holder(second).name).toBe('import');
});

test('a key that nobody was given, and what is not a key, are refused without a word of them', async () => {
  const { keys } = opened();
  expect(await refusal(() => keys.holder(makeApiKey()))).toEqual([
    'notLoggedIn',
    'The API key is not known.',
  ]);
  for (const text of ['', 'hunter2', first.slice(0, -1), `${first}, ${first}`]) {
    expect(await refusal(() => keys.holder(text))).toEqual([
      'notLoggedIn',
      'This is not an API key: expected egk_ and 48 characters, as they were given out.',
    ]);
  }
});

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
