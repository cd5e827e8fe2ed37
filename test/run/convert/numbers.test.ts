import { expect, test } from 'vitest';
import { isLess } from '../../../src/run/convert/numbers.ts';

const ascending = [
  `-1${'0'.repeat(40)}`,
  '-10.01',
  '-10',
  '-9.99',
  '-2',
  '-1.5',
  '-1.25',
  '-0.1',
  '-0.01',
  '0',
  '0.01',
  '0.1',
  '0.100001',
  '1.25',
  '1.5',
  '2',
  '9.99',
  '10',
  '10.01',
  '9007199254740992',
  '9007199254740993',
  `1${'0'.repeat(40)}`,
];

test('numbers are in their order', () => {
  for (const [at, one] of ascending.entries()) {
    for (const [place, other] of ascending.entries()) {
      expect([one, other, isLess(one, other)]).toEqual([one, other, at < place]);
    }
  }
});

test.each([
  ['0', '-0.00'],
  ['1', '1.000'],
  ['-1.50', '-1.5'],
  ['007', '7'],
  ['0.5', '.5'],
])('%s and %s are one number', (one, other) => {
  expect([isLess(one, other), isLess(other, one)]).toEqual([false, false]);
});
