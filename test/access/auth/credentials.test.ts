import { expect, test } from 'vitest';
import { makeApiKey } from '../../../src/access/auth/api-keys.ts';
import { credentialsOf } from '../../../src/access/auth/authentication.ts';
import { refusal } from './support.ts';

const key = makeApiKey();
const basic = Buffer.from('ada:geheim:wort').toString('base64');

test.each([
  ['none', {}, null],
  ['those for a login alone', { 'username-4d': 'ada', 'password-4d': 'geheim' }, null],
  ['a key', { 'api-key': key }, { kind: 'apiKey', key }],
  ['a key as Bearer', { authorization: `Bearer ${key}` }, { kind: 'apiKey', key }],
  [
    'a name and a password',
    { authorization: `Basic ${basic}` },
    { kind: 'password', user: 'ada', password: 'geheim:wort' },
  ],
  ['a token', { authorization: 'Bearer a.b.c' }, { kind: 'token', token: 'a.b.c' }],
  ['a scheme in capitals', { authorization: 'BEARER  a.b.c ' }, { kind: 'token', token: 'a.b.c' }],
])('%s', (_, headers, credentials) => {
  expect(credentialsOf(headers)).toEqual(credentials);
});

const unreadable =
  'The header Authorization cannot be read: expected Basic or Bearer, a blank, and the credentials.';

test.each([
  [{ authorization: key }, unreadable],
  [{ authorization: '' }, unreadable],
  [{ authorization: 'Bearer' }, unreadable],
  [{ authorization: 'Bearer a b' }, unreadable],
  [{ authorization: 'Negotiate YII=' }, unreadable],
  [{ authorization: 'Digest username="ada"' }, unreadable],
  [
    { authorization: 'Bearer a.b.c', 'api-key': key },
    'The headers api-key and Authorization both hold credentials: send one of them.',
  ],
  [
    { authorization: `Bearer ${key}`, 'api-key': key },
    'The headers api-key and Authorization both hold credentials: send one of them.',
  ],
  [{ 'api-key': [key, key] }, 'The header api-key was sent more than once.'],
])('%j is refused', async (headers, message) => {
  expect(await refusal(() => credentialsOf(headers))).toEqual(['notLoggedIn', message]);
});
