import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createHash } from 'node:crypto';
import {
  makeApiKey,
  apiKeyHash,
  ApiKeys,
  isApiKey,
  looksLikeApiKey,
} from '../../../src/access/auth/api-keys.ts';
import { credentialsOf, readBasic } from '../../../src/access/auth/authentication.ts';
import { addressGroup } from '../../../src/access/auth/throttle.ts';
import { refusal, testClock } from './support.ts';
import { parsed, rows } from '../../rows.ts';

const key = makeApiKey();
const basic = Buffer.from('ada:geheim:wort').toString('base64');

test.each(rows`
  {} | null
  {username-4d: ada, password-4d: geheim} | null
  {api-key: ${key}} | {kind: apiKey, key: ${key}}
  {authorization: Bearer ${key}} | {kind: apiKey, key: ${key}}
  {authorization: Basic ${basic}} | {kind: password, user: ada, password: 'geheim:wort'}
  {authorization: Bearer a.b.c} | {kind: token, token: a.b.c}
  {authorization: 'BEARER  a.b.c '} | {kind: token, token: a.b.c}
`)('%s holds %s', (headers, credentials) => {
  expect(credentialsOf(parsed(headers))).toEqual(parsed(credentials));
});

const unreadable =
  'The header Authorization cannot be read: expected Basic or Bearer, a blank, and the credentials.';

const both = 'The headers api-key and Authorization both hold credentials: send one of them.';
const twice = 'The header api-key was sent more than once.';

test.each(rows`
  {authorization: ${key}} | ${unreadable}
  {authorization: ''} | ${unreadable}
  {authorization: Bearer} | ${unreadable}
  {authorization: Bearer a b} | ${unreadable}
  {authorization: Negotiate YII=} | ${unreadable}
  {authorization: 'Digest username="ada"'} | ${unreadable}
  {authorization: Bearer a.b.c, api-key: ${key}} | ${both}
  {authorization: Bearer ${key}, api-key: ${key}} | ${both}
  {api-key: [${key}, ${key}]} | ${twice}
  {api-key: '${key}, ${key}'} | ${twice}
`)('%s is refused', async (headers, message) => {
  expect(await refusal(() => credentialsOf(parsed(headers)))).toEqual(['notLoggedIn', message]);
});

const printable = fc
  .string({ unit: 'grapheme' })
  .filter((text) => text.isWellFormed() && !/\p{Cc}/u.test(text));

test('any name without a colon and any password come back as they were sent', () => {
  fc.assert(
    fc.property(
      printable.filter((name) => !name.includes(':')),
      printable,
      (user, password) => {
        const encoded = Buffer.from(`${user}:${password}`).toString('base64');
        expect(readBasic(encoded)).toEqual({ user, password });
        expect(readBasic(encoded.replace(/=+$/, ''))).toEqual({ user, password });
      },
    ),
  );
});

test.each([
  ['QWxhZGRpbjpvcGVuIHNlc2FtZQ==', 'Aladdin', 'open sesame'],
  ['dGVzdDoxMjPCow==', 'test', '123£'],
])('%s (RFC 7617, 2 and 2.1)', (encoded, user, password) => {
  expect(readBasic(encoded)).toEqual({ user, password });
});

test.each([
  ['nothing', ''],
  ['no base64', 'geheim:wort'],
  ['base64url', 'w7_Dvzpi'],
  ['padding in the middle', 'YTpi=YTpi'],
  ['no colon', Buffer.from('geheimwort').toString('base64')],
  ['Latin-1', Buffer.from('ada:gehe\u00efm', 'latin1').toString('base64')],
  ['a line break', Buffer.from('ada:geheim\n').toString('base64')],
  ['U+0000', Buffer.from('a\0da:geheim').toString('base64')],
])('%s is refused, and not repeated', async (_, encoded) => {
  expect(await refusal(() => readBasic(encoded))).toEqual([
    'notLoggedIn',
    'The header Authorization holds no name and password: expected Basic and the base64 of name:password in UTF-8.',
  ]);
});

test('no header makes it do anything else', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string(), fc.base64String()), async (text) => {
      const read = await refusal(() => readBasic(text));
      const isRefused = Array.isArray(read) && read[0] === 'notLoggedIn';
      expect(isRefused || Object.keys(read as object).join() === 'user,password').toBe(true);
    }),
  );
});

test.each(rows`
  192.0.2.7               | 192.0.2.7
  ::ffff:192.0.2.7        | 192.0.2.7
  ::FFFF:192.0.2.7        | 192.0.2.7
  2001:db8:1:2:3:4:5:6    | 2001:db8:1:2::/64
  2001:DB8:0001:2::1      | 2001:db8:1:2::/64
  2001:db8::1             | 2001:db8:0:0::/64
  2001:db8:0:0:ffff::     | 2001:db8:0:0::/64
  ::1                     | 0:0:0:0::/64
  ::                      | 0:0:0:0::/64
  fe80::1%eth0            | fe80:0:0:0::/64
  ${''}                   | ${''}
  unix socket             | unix socket
`)('%s counts as %s', (address, group) => {
  expect(addressGroup(address)).toBe(group);
});

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

test('a key that nobody was given is refused without a word of it', async () => {
  const { keys } = opened();
  expect(await refusal(() => keys.holder(makeApiKey()))).toEqual([
    'notLoggedIn',
    'The API key is not known.',
  ]);
  expect(await refusal(() => keys.holder(`${first}, ${first}`))).toEqual([
    'notLoggedIn',
    'This is not an API key: expected egk_ and 48 characters, as they were given out.',
  ]);
});

const ALPHABET = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_');

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
