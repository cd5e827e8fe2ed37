import fc from 'fast-check';
import { expect, test } from 'vitest';
import { picked } from '../../../src/state/entity-set/builder.ts';
import { integers, keysOf, listOf, patient, tally } from './lists.ts';
import { twoLists, twoLongLists } from './random-keys.ts';

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
