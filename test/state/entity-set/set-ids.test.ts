import fc from 'fast-check';
import { expect, test } from 'vitest';
import { picked } from '../../../src/state/entity-set/builder.ts';
import { SetIds } from '../../../src/state/entity-set/store.ts';
import { keysOf, patient, tally } from './lists.ts';
import { twoLists, twoLongLists } from './random-keys.ts';

test('an id is upper-case letters and digits, and another one each time', () => {
  const ids = new SetIds('a key');
  const made = Array.from({ length: 1000 }, () => ids.make('Employee'));
  for (const id of made) expect(id).toMatch(/^[0-9A-F]{46}$/);
  expect(new Set(made.map((id) => id.slice(0, 32))).size).toBe(1000);
});

test('what was made up of an id, with another key, or out of nothing, is none', () => {
  const ids = new SetIds('a key');
  const id = ids.make('Employee');
  expect(new SetIds('a key').isOwn(id, 'Employee')).toBe(true);
  expect(new SetIds('another key').isOwn(id, 'Employee')).toBe(false);
  const others = ['Company', 'Employees', 'employee', ''];
  expect(others.filter((dataclass) => ids.isOwn(id, dataclass))).toEqual([]);
  const changed = Array.from(id, (digit, at) => {
    return `${id.slice(0, at)}${digit === '0' ? '1' : '0'}${id.slice(at + 1)}`;
  });
  const madeUp = [
    '',
    '0',
    id.slice(1),
    `${id}0`,
    `0${id}`,
    `${id}\n`,
    id.toLowerCase(),
    'Z'.repeat(46),
  ];
  expect([...changed, ...madeUp].filter((text) => ids.isOwn(text, 'Employee'))).toEqual([]);
});

test('the keys with some indexes are those, in the order of the indexes', async () => {
  const anyLists = fc.oneof(
    { weight: 9, arbitrary: twoLists },
    { weight: 1, arbitrary: twoLongLists },
  );
  await fc.assert(
    fc.asyncProperty(anyLists, fc.array(fc.nat()), async ([list], numbers) => {
      const indexes = Uint32Array.from(
        list.size === 0 ? [] : numbers,
        (number) => number % list.size,
      );
      const workspace = tally();
      const keys = await picked(list, indexes, workspace, patient);
      expect(keysOf(keys)).toEqual(Array.from(indexes, (index) => list.at(index)));
      expect(workspace.reserved).toEqual({ set: keys.bytes, scratch: 0 });
    }),
    { numRuns: 200 },
  );
});
