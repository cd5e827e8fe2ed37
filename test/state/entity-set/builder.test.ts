import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KeyListBuilder, picked } from '../../../src/state/entity-set/builder.ts';
import { indexOf, type Key } from '../../../src/state/entity-set/keys.ts';
import { SetIds } from '../../../src/state/entity-set/store.ts';
import { keysOf, listOf, patient, tally } from './lists.ts';
import { keys, twoLists, twoLongLists } from './random-keys.ts';

/** Many numbers from one on. */
function from(first: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) => String(first + index));
}

describe('a list of keys', () => {
  test('gives back the keys that were added, knows where each stands, and of others that they are not there', async () => {
    await fc.assert(
      fc.asyncProperty(keys, fc.nat(), async (all, cut) => {
        const [there, absent] = [all.slice(cut % 40), all.slice(0, cut % 40)];
        const list = listOf(there);
        expect([list.size, keysOf(list)]).toEqual([there.length, there]);
        const indexes = (some: readonly Key[]) =>
          Promise.all(some.map((key) => indexOf(list, key, patient)));
        expect(await indexes(there)).toEqual(there.map((_, index) => index));
        expect(await indexes(absent)).toEqual(absent.map(() => -1));
      }),
    );
  });

  test('is cut into pages anywhere', () => {
    fc.assert(
      fc.property(
        twoLongLists,
        fc.nat({ max: 45_000 }),
        fc.nat({ max: 45_000 }),
        ([list], from, length) => {
          const all = Array.from({ length: list.size }, (_, index) => list.at(index));
          expect(JSON.stringify(list.slice(from, from + length))).toBe(
            JSON.stringify(all.slice(from, from + length)),
          );
        },
      ),
      { numRuns: 4 },
    );
  });
});

describe('what keys take', () => {
  test.each([
    ['a million numbers', from(-500_000, 1_000_000), 9],
    ['numbers up to 2^53', from(2 ** 40, 100_000), 9],
    ['numbers past 2^53', from(2 ** 40, 100_000).map((text) => `${text}000000`), 28],
  ])('%s', (_, texts, bytesOfKey) => {
    const workspace = tally();
    const builder = new KeyListBuilder(workspace);
    for (const text of texts) builder.add([text]);
    const list = builder.finish();
    expect(list.size).toBe(texts.length);
    expect(list.bytes).toBeLessThanOrEqual(bytesOfKey * texts.length);
    expect(workspace.reserved).toEqual({ set: list.bytes, scratch: 0 });
    expect([list.at(0), list.at(texts.length - 1)]).toEqual([[texts[0]], [texts.at(-1)]]);
  });

  test('a number of more bits among the last of them costs the others nothing', () => {
    const texts = from(0, 100_000).with(99_000, String(2n ** 60n));
    const list = listOf(texts.map((text) => [text]));
    expect(list.bytes).toBeLessThanOrEqual(8.4 * texts.length);
    expect(list.slice(98_999, 99_002)).toEqual([['98999'], ['1152921504606846976'], ['99001']]);
  });
});

test('keys of many bytes do not push out those before and behind them', () => {
  const texts = from(0, 5000).with(2, 'é'.repeat(40_000)).with(4, '🎈'.repeat(60_000));
  expect(keysOf(listOf(texts.map((text) => [text])))).toEqual(texts.map((text) => [text]));
});

test('what is reserved for a list is what it takes, and nothing where it is given up, whatever its keys are', () => {
  fc.assert(
    fc.property(keys, fc.boolean(), (added, isGivenUp) => {
      const workspace = tally();
      const builder = new KeyListBuilder(workspace);
      for (const key of added) builder.add(key);
      if (isGivenUp) builder.discard();
      const set = isGivenUp ? 0 : builder.finish().bytes;
      expect(workspace.reserved).toEqual({ set, scratch: 0 });
    }),
  );
});

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
