import { expect, test } from 'vitest';
import { exactAverage, isLess, withoutLastZeros } from '../../../src/run/convert/numbers.ts';

const ascending = [
  ...[`-1${'0'.repeat(40)}`, '-10.01', '-10', '-9.99', '-2', '-1.5', '-1.25', '-0.1', '-0.01', '0'],
  ...['0.01', '0.1', '0.100001', '1.25', '1.5', '2', '9.99', '10', '10.01'],
  ...['9007199254740992', '9007199254740993', `1${'0'.repeat(40)}`],
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

test.each([
  ['10', 4n, '2.5'],
  ['1', 3n, '0.3333333333'],
  ['2', 3n, '0.6666666667'],
  ['-2', 3n, '-0.6666666667'],
  ['1', 20_000_000_000n, '0.0000000001'],
  ['-1', 20_000_000_000n, '-0.0000000001'],
  ['1', 20_000_000_001n, '0'],
  ['-1', 20_000_000_001n, '0'],
  ['0.00', 7n, '0'],
  ['0.10', 3n, '0.03333333333'],
  ['335000.0000', 4n, '83750'],
  ['1234567890123456789012345678.0123456789', 2n, '617283945061728394506172839.00617283945'],
  ['236221914398509765590', 60n, '3937031906641829426.5'],
])('the average of numbers whose sum is %s, %d of them, is %s', (sum, count, average) => {
  expect(exactAverage(sum, count)).toBe(average);
});

test.each([
  ['2.50', '2.5'],
  ['3.0000', '3'],
  ['100', '100'],
  ['-0.10', '-0.1'],
])('%s without its last zeros is %s', (number, shorter) => {
  expect(withoutLastZeros(number)).toBe(shorter);
});
