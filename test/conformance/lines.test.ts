import { expect, test } from 'vitest';
import { readLines } from './lines.ts';

test('a line that the sample cannot answer fails alone', () => {
  const body = new Error('Employee has no relation boss');
  expect(readLines([['a boss', 'Employee(1)/boss', 'Employee(1).boss']])).toEqual([
    { title: 'a boss', url: '/rest/Employee(1)/boss', body },
  ]);
});
