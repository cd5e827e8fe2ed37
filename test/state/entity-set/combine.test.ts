import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { combined, intersects, type SetOperator } from '../../../src/state/entity-set/combine.ts';
import type { KeyList, StoredKeys } from '../../../src/state/entity-set/keys.ts';
import { integers, keysOf, listOf, patient, tally } from './lists.ts';
import { twoLists, twoLongLists } from './random-keys.ts';

const operators = ['and', 'or', 'except'] as const;

/** What JavaScript's own sets make of keys, as JSON texts. */
function expected(
  operator: SetOperator,
  first: ReadonlySet<string>,
  second: ReadonlySet<string>,
): string[] {
  if (operator === 'or') return [...new Set([...first, ...second])];
  return [...first].filter((text) => second.has(text) === (operator === 'and'));
}

function textsOf(list: KeyList): string[] {
  return keysOf(list).map((key) => JSON.stringify(key));
}

/** AND, OR, EXCEPT and INTERSECT are what they are of plain sets, and all room that was needed is given back but that of the result. */
async function expectLaws([first, second]: readonly [KeyList, KeyList]): Promise<void> {
  const [inFirst, inSecond] = [new Set(textsOf(first)), new Set(textsOf(second))];
  for (const operator of operators) {
    const workspace = tally();
    const list = await combined(operator, first, second, workspace, patient);
    expect(textsOf(list).join()).toBe(expected(operator, inFirst, inSecond).join());
    expect(workspace.reserved).toEqual({ set: list.bytes, scratch: 0 });
  }
  const workspace = tally();
  const common = expected('and', inFirst, inSecond).length;
  expect(await intersects(first, second, workspace, patient)).toBe(common > 0);
  expect(workspace.reserved).toEqual({ set: 0, scratch: 0 });
}

/** Keys that are fetched. */
function fetched(list: KeyList): StoredKeys {
  return {
    size: list.size,
    slice: (from, to) => list.slice(from, to),
    stream: async function* () {
      for (const chunk of list.chunks) yield await Promise.resolve(chunk);
    },
  };
}

describe('sets combined', () => {
  test('are so of keys that are fetched, too', async () => {
    await fc.assert(
      fc.asyncProperty(twoLists, async ([first, second]) => {
        for (const operator of operators) {
          const [one, other] = [fetched(first), fetched(second)];
          const list = await combined(operator, one, other, tally(), patient);
          const inMemory = await combined(operator, first, second, tally(), patient);
          expect(textsOf(list)).toEqual(textsOf(inMemory));
        }
      }),
      { numRuns: 100 },
    );
  });

  test.each([
    [40_000, 40_000],
    [9_000, 40_000],
    [40_000, 9_000],
  ])('%i and %i fetched keys are never all in memory together', async (...sizes) => {
    const [first, second] = sizes.map((size) => listOf(integers(Array(size).keys())));
    if (first === undefined || second === undefined) throw new Error('two lists are needed');
    const most = Math.max(first.bytes, second.bytes) + 0.5 * Math.min(first.bytes, second.bytes);
    for (const operator of operators) {
      const { reserved, ...workspace } = tally();
      let peak = 0;
      const reserve = (bytes: number): void => {
        workspace.scratch.reserve(bytes);
        peak = Math.max(peak, reserved.scratch);
      };
      const room = { ...workspace, scratch: { reserve } };
      await combined(operator, fetched(first), fetched(second), room, patient);
      expect(peak).toBeLessThan(most);
    }
  });

  test('are what plain sets make of them, in the order of the first and then of the second', async () => {
    await fc.assert(fc.asyncProperty(twoLists, expectLaws), { numRuns: 300 });
  });

  test('are so over many chunks, too', async () => {
    await fc.assert(fc.asyncProperty(twoLongLists, expectLaws), { numRuns: 8 });
  });

  test.each([
    ['a few with many', [70_000, 5, 69_999, -1], [0, 70_000]],
    ['many with a few', [0, 70_000], [70_000, 5, 69_999, -1]],
    ['close together with one far off', [7, 3, 2 ** 32 + 8, 4 - 2 ** 32, 2, 9], [9, 2, 8, 4]],
    ['one far off with close together', [9, 2, 8, 4], [7, 3, 2 ** 32 + 8, 4 - 2 ** 32, 2, 9]],
    ['far apart, zero among them', [2 ** 30, 0, -(2 ** 30), 5], [-(2 ** 30), 0, 7, 2 ** 30 + 1]],
    ['zero only in the others', [2 ** 30, 0, -(2 ** 30), 5], [-(2 ** 30), 6, 7, 2 ** 30 + 1]],
    // The doubles of the first two differ in the bits 31, 48 and 63, and have one hash for any seed and factor.
    ['of one hash', [2 ** 21, 2n ** 60n], [-(2 ** 21 + 2 ** 17 + 1), 2n ** 60n]],
  ])('%s', async (_, few, many) => {
    await expectLaws([listOf(integers(few)), listOf(integers(many))]);
  });
});
