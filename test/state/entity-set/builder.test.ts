import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KeyListBuilder } from '../../../src/state/entity-set/builder.ts';
import { integers, keysOf, listOf, tally } from './lists.ts';
import { keys, twoLongLists } from './random-keys.ts';

/** Many numbers from one on. */
function from(first: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) => String(first + index));
}

describe('a list of keys', () => {
  test('gives back the keys that were added, in their order, whatever they are', () => {
    fc.assert(
      fc.property(keys, ({ kinds, keys: added }) => {
        for (const kind of kinds) {
          const list = listOf(kind, added);
          expect(list.size).toBe(added.length);
          expect(keysOf(list)).toEqual(added);
          expect(added.map((_, index) => list.at(index))).toEqual(added);
        }
      }),
    );
  });

  test('knows where each key stands, and of others that they are not there', async () => {
    await fc.assert(
      fc.asyncProperty(keys, fc.nat(), async ({ kinds, keys: all }, cut) => {
        for (const kind of kinds) {
          const [there, absent] = [all.slice(cut % 40), all.slice(0, cut % 40)];
          const list = listOf(kind, there);
          expect(await Promise.all(there.map((key) => list.indexOf(key)))).toEqual(
            there.map((_, index) => index),
          );
          expect(await Promise.all(absent.map((key) => list.indexOf(key)))).toEqual(
            absent.map(() => -1),
          );
        }
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

  test('has no key before its first and behind its last', () => {
    const list = listOf('integer', integers([5, 6]));
    expect(() => list.at(-1)).toThrow(new RangeError('There is no key -1 among 2'));
    expect(() => list.at(2)).toThrow(new RangeError('There is no key 2 among 2'));
    expect(list.slice(2, 9)).toEqual([]);
    expect(list.slice(1, 0)).toEqual([]);
  });

  test('finds a key in its last chunk', async () => {
    const list = listOf('integer', integers(Array.from({ length: 40_000 }, (_, index) => index)));
    expect(await list.indexOf(['39999'])).toBe(39_999);
    expect(await list.indexOf(['40000'])).toBe(-1);
  });
});

describe('what keys take', () => {
  test.each([
    ['a million numbers of 32 bits', from(-500_000, 1_000_000), 5],
    ['numbers up to 2^53', from(2 ** 40, 100_000), 9],
    ['numbers past 2^53', from(2 ** 40, 100_000).map((text) => `${text}000000`), 28],
  ])('%s', (_, texts, bytesOfKey) => {
    const workspace = tally();
    const builder = new KeyListBuilder('integer', workspace);
    for (const text of texts) builder.addInteger(text);
    expect(builder.size).toBe(texts.length);
    const list = builder.finish();
    expect(list.bytes).toBeLessThanOrEqual(bytesOfKey * texts.length);
    expect(workspace.reserved).toEqual({ set: list.bytes, scratch: 0 });
    expect([list.at(0), list.at(texts.length - 1)]).toEqual([[texts[0]], [texts.at(-1)]]);
  });

  test('a number of more bits among the last of them costs the others nothing', () => {
    const keys = from(0, 100_000).with(99_000, String(2 ** 40));
    const list = listOf('integer', integers(keys.map(Number)));
    expect(list.bytes).toBeLessThanOrEqual(4.2 * keys.length);
    expect(list.slice(98_999, 99_002)).toEqual([['98999'], ['1099511627776'], ['99001']]);
  });
});

test('what is reserved for a list that is built is what it takes, whatever its keys are', () => {
  fc.assert(
    fc.property(keys, ({ kinds, keys: added }) => {
      for (const kind of kinds) {
        const workspace = tally();
        const builder = new KeyListBuilder(kind, workspace);
        for (const key of added) builder.add(key);
        expect(workspace.reserved).toEqual({ set: builder.finish().bytes, scratch: 0 });
      }
    }),
  );
});

test('nothing stays reserved for a list that is given up, whatever its keys are', () => {
  fc.assert(
    fc.property(keys, ({ kinds, keys: added }) => {
      for (const kind of kinds) {
        const workspace = tally();
        const builder = new KeyListBuilder(kind, workspace);
        for (const key of added) builder.add(key);
        builder.discard();
        expect(workspace.reserved).toEqual({ set: 0, scratch: 0 });
      }
    }),
  );
});
