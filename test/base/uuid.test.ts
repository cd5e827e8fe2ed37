import { expect, test } from 'vitest';
import { stableUuid } from '../../src/base/hashes.ts';

test('the same names give the same identifier on every machine', () => {
  expect(stableUuid('Legacy ERP', 'Employee')).toBe('8DB5D1B5B8385E8D9F138F6090F8291A');
});

test('is a version 5 identifier of 32 upper-case digits', () => {
  for (const name of ['', 'a', 'é', '🚀']) {
    expect(stableUuid(name)).toMatch(/^[0-9A-F]{12}5[0-9A-F]{3}[89AB][0-9A-F]{15}$/);
  }
});

test('tells names apart, wherever the one ends and the other begins', () => {
  const all = [['ab', 'c'], ['a', 'bc'], ['abc'], ['abc', ''], ['', 'abc']].map((names) =>
    stableUuid(...names),
  );
  expect(new Set(all).size).toBe(all.length);
});
