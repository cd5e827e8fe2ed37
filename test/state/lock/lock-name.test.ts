import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { lockName } from '../../../src/state/lock/keeper.ts';

const table = { schema: 'HR', name: 'TBL_EMP' };

test.each([
  [['126'], 'entitygate:HR.TBL_EMP:126'],
  [['DE  '], 'entitygate:HR.TBL_EMP:DE'],
  [['A;B%'], 'entitygate:HR.TBL_EMP:A;B%'],
  [['7', '2'], 'entitygate:HR.TBL_EMP:7;2'],
  [['a;b', '100%'], 'entitygate:HR.TBL_EMP:a%3Bb;100%25'],
])('the lock of the row %j is called %s', (key, name) => {
  expect(lockName(table, key)).toBe(name);
});

test('a name that sp_getapplock would cut is known by its hash', () => {
  const longest = 'é'.repeat(255 - 'entitygate:HR.TBL_EMP:'.length);
  expect(lockName(table, [longest])).toBe(`entitygate:HR.TBL_EMP:${longest}`);
  const hash = createHash('sha256').update(`entitygate:HR.TBL_EMP:${longest}!`).digest('hex');
  expect(lockName(table, [`${longest}!`])).toBe(`entitygate:#${hash}`);
});
