import fc from 'fast-check';
import { expect, test } from 'vitest';
import { picked } from '../../../src/state/entity-set/builder.ts';
import { SetIds } from '../../../src/state/entity-set/store.ts';
import { integers, keysOf, listOf, patient, tally } from './lists.ts';
import { twoLists, twoLongLists } from './random-keys.ts';

test('an id is upper-case letters and digits, and another one each time', () => {
  const ids = new SetIds('a key');
  const made = Array.from({ length: 1000 }, () => ids.make('Employee'));
  for (const id of made) expect(id).toMatch(/^[0-9A-F]{46}$/);
  expect(new Set(made.map((id) => id.slice(0, 32))).size).toBe(1000);
});

test('an id is known to all who have the key, and to nobody else', () => {
  const [one, other, stranger] = [
    new SetIds('a key'),
    new SetIds('a key'),
    new SetIds('another key'),
  ];
  const id = one.make('Employee');
  expect([one, other, stranger].map((ids) => ids.isOwn(id, 'Employee'))).toEqual([
    true,
    true,
    false,
  ]);
});

test('what was made up of an id, or out of nothing, is none', () => {
  const ids = new SetIds('a key');
  const id = ids.make('Employee');
  for (let at = 0; at < id.length; at += 1) {
    const changed = `${id.slice(0, at)}${id[at] === '0' ? '1' : '0'}${id.slice(at + 1)}`;
    expect([changed, ids.isOwn(changed, 'Employee')]).toEqual([changed, false]);
  }
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
  expect(madeUp.filter((text) => ids.isOwn(text, 'Employee'))).toEqual([]);
});

test('an id is one of its dataclass only', () => {
  const ids = new SetIds('a key');
  const id = ids.make('Employee');
  const others = ['Company', 'Employees', 'employee', ''];
  expect(others.filter((dataclass) => ids.isOwn(id, dataclass))).toEqual([]);
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

test('an index that no key has is refused', async () => {
  const list = listOf(integers([1, 2]));
  await expect(picked(list, Uint32Array.of(0, 2), tally(), patient)).rejects.toThrow(
    new RangeError('There is no key 2 among 2'),
  );
});
