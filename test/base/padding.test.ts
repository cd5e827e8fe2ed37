import { expect, test } from 'vitest';
import { withoutLast, withoutPadding } from '../../src/base/text.ts';

test.each([0, 1, 4095, 4096, 4097, 8191, 8192, 20_000])('%i blanks are cut off', (count) => {
  const blanks = ' '.repeat(count);
  expect(withoutPadding(blanks)).toBe('');
  expect(withoutPadding(`a b${blanks}`)).toBe('a b');
  expect(withoutPadding(`${blanks}a`)).toBe(`${blanks}a`);
  expect(withoutPadding(`a\n${blanks}`)).toBe('a\n');
  expect(withoutLast(`1${blanks}${'0'.repeat(count)}`, '0')).toBe(`1${blanks}`);
});
