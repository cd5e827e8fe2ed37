import { expect, test } from 'vitest';
import { zip } from '../../src/base/collections.ts';

test('lists of one length are paired', () => {
  expect(zip([1, 2], ['a', 'b'])).toEqual([
    [1, 'a'],
    [2, 'b'],
  ]);
  expect(() => zip([1, 2], ['a'])).toThrow('differ in length');
});
