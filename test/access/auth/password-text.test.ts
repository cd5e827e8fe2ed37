import { expect, test } from 'vitest';
import {
  newPasswordProblem,
  preparedName,
  preparedPassword,
} from '../../../src/access/auth/password-hash.ts';

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
