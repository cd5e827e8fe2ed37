import { expect, test } from 'vitest';
import { SetIds } from '../../../src/state/entity-set/store.ts';

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
