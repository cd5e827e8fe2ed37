import { expect, test } from 'vitest';
import {
  COST,
  decoyHash,
  hashPassword,
  isPassword,
  newPasswordProblem,
  type PasswordHash,
  passwordHashText,
  preparedName,
  preparedPassword,
  readPasswordHash,
} from '../../../src/access/auth/password-hash.ts';

function read(text: string): PasswordHash {
  const found = readPasswordHash(text);
  if ('problem' in found) throw new Error(found.problem);
  return found;
}

const SALT = 'A'.repeat(22);
const HASH = 'A'.repeat(43);
const withCost = (cost: string): string => `$scrypt$${cost}$${SALT}$${HASH}`;

test('a password has its hash, and no other one', async () => {
  const hash = await hashPassword('correct horse');
  const text = passwordHashText(hash);
  expect(text).toMatch(/^\$scrypt\$ln=17,r=8,p=1\$[A-Za-z\d+/]{22}\$[A-Za-z\d+/]{43}$/);
  expect(await isPassword('correct horse', read(text))).toBe(true);
  expect(await isPassword('Correct horse', read(text))).toBe(false);
  expect(passwordHashText(await hashPassword('correct horse'))).not.toBe(text);
});

test('hashes of other programs are read, and their parameters are minded', async () => {
  // scrypt('geheimwort', sixteen bytes of 0x61, N=2^16, r=8, p=1), by Python’s hashlib.
  const text =
    '$scrypt$ln=16,r=8,p=1$YWFhYWFhYWFhYWFhYWFhYQ$XVc80fxmCbjW1lY3AYp7yIaFYUTJIcEFyZeaP6A9PQc';
  expect(await isPassword('geheimwort', read(text))).toBe(true);
});

test('no password has the hash of users that do not exist', async () => {
  expect(await isPassword('', decoyHash(COST))).toBe(false);
});

test.each([
  'ln=17,r=8,p=1',
  'ln=16,r=8,p=1',
  'ln=16,r=8,p=2',
  'ln=15,r=8,p=3',
  'ln=14,r=8,p=5',
  'ln=13,r=8,p=10',
  'ln=18,r=8,p=1',
  'ln=17,r=8,p=4',
])('%s is taken', (cost) => {
  expect(passwordHashText(read(withCost(cost)))).toBe(withCost(cost));
});

const tooQuick = 'is a hash that is guessed too quickly: expected ln=17,r=8,p=1, or as much work';
const tooSlow =
  'is a hash that takes more than 256 MB, or more than four times as long as ln=17,r=8,p=1';
const none = 'is not a hash of a password: make the entry with entitygate user';
const foreign =
  'is a hash of another kind, and only those by scrypt are taken: make the entry with entitygate user';

test.each([
  [withCost('ln=15,r=8,p=1'), tooQuick],
  [withCost('ln=0,r=0,p=0'), tooQuick],
  [withCost('ln=19,r=8,p=1'), tooSlow],
  [withCost('ln=17,r=8,p=5'), tooSlow],
  [withCost('ln=99,r=999,p=999'), tooSlow],
  [withCost('ln=16,r=1,p=16'), 'is a hash by numbers that scrypt does not take'],
  [`$scrypt$ln=17,r=8,p=1$${'A'.repeat(20)}$${HASH}`, 'has a salt of 15 bytes: expected 16 to 64'],
  [`$scrypt$ln=17,r=8,p=1$${SALT}$${'A'.repeat(42)}`, 'has a hash of 31 bytes: expected 32 to 64'],
  [`$scrypt$ln=17,r=8,p=1$${SALT}$${'A'.repeat(100)}`, 'has a hash of 75 bytes: expected 32 to 64'],
  ['', none],
  ['geheimwort', none],
  ['$ecret', none],
  [
    withCost('ln=17,r=8'),
    'is not a hash by scrypt that can be read: make the entry with entitygate user',
  ],
  ['$2y$10$abcdefghijklmnopqrstuuJ4lF', foreign],
  ['$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA', foreign],
  ['$6$rounds=5000$salt$hash', foreign],
  ['$apr1$salt$hash', foreign],
])('%s is refused', (text, problem) => {
  expect(readPasswordHash(text)).toEqual({ problem });
});

test.each([
  ['as it is', 'correct horse battery staple', 'correct horse battery staple'],
  ['case is kept', 'Correct Horse', 'Correct Horse'],
  ['blanks of all scripts are one (RFC 8265 §4.3, 3)', 'foo\u1680bar\u00a0', 'foo bar '],
  ['an accent is a part of its letter', 'cafe\u0301', 'caf\u00e9'],
  ['wide letters stay wide: NFC, not NFKC', '\uff21', '\uff21'],
  ['others than Latin', 'πßå', 'πßå'],
  ['any length up to 1024', '🔒'.repeat(1024), '🔒'.repeat(1024)],
])('%s', (_, text, prepared) => {
  expect(preparedPassword(text)).toBe(prepared);
});

test.each([
  ['nothing', ''],
  ['a control character (RFC 8265 §4.3, 5)', 'my cat is a \u0009by'],
  ['half a surrogate pair', 'abc\ud800defgh'],
  ['more than 1024 characters', 'a'.repeat(1025)],
])('%s is nobody’s password', (_, text) => {
  expect(preparedPassword(text)).toBeNull();
});

test.each([
  ['', 'the password is empty'],
  ['seven77', 'the password has fewer than 8 characters'],
  ['e\u0301'.repeat(7), 'the password has fewer than 8 characters'],
  ['🔒'.repeat(7), 'the password has fewer than 8 characters'],
  ['tab\tulator', 'the password holds control characters, or is longer than 1024 characters'],
  ['a'.repeat(1025), 'the password holds control characters, or is longer than 1024 characters'],
  ['eight888', null],
  ['        ', null],
  ['🔒'.repeat(8), null],
])('of %j as a new password: %s', (text, problem) => {
  expect(newPasswordProblem(text)).toBe(problem);
});

test('a name is one name however its accents are written, and its case counts', () => {
  expect(preparedName('Zoe\u0308')).toBe('Zo\u00eb');
  expect(preparedName('ADA')).toBe('ADA');
});
