import { expect, test } from 'vitest';
import { ProtocolError } from '../../../src/base/errors.ts';
import { Refused } from '../../../src/run/write/attempt.ts';
import { dryRun } from '../../../src/run/write/transactions.ts';
import type { Element } from '../../../src/run/write/outcome.ts';
import { execution, writeContext } from '../fakes.ts';

test('what is accepted shares its statements with what is tried, and the one that is refused is told of as itself', async () => {
  const items = Array.from({ length: 8 }, (_, index): Element => ({ index, key: [String(index)] }));
  const tries: (readonly number[])[] = [];
  const result = await dryRun(
    items,
    writeContext('save', false),
    execution([]),
    (some, refused, { oneByOne }) => {
      expect(oneByOne).toBe(false);
      tries.push(some.map(({ index }) => index));
      if (some.some(({ index }) => index % 4 === 2)) {
        const reason = new ProtocolError('brokenRule', 'Not so.');
        const ofFirst = {
          errorName: 'entityNotSaved',
          message: `Thing(${some[0]?.index}) was not saved.`,
        } as const;
        throw new Refused(reason.leadingTo(ofFirst), [], reason);
      }
      const told = refused.map(({ failure }) => failure.error.toItems().map((one) => one.message));
      return Promise.resolve({ saved: some.map(({ index }) => index), told });
    },
  );
  expect(result).toEqual({
    saved: [0, 1, 3, 4, 5, 7],
    told: [
      ['Not so.', 'Thing(2) was not saved.'],
      ['Not so.', 'Thing(6) was not saved.'],
    ],
  });
  expect(tries).toEqual([
    [0, 1, 2, 3, 4, 5, 6, 7],
    [0, 1, 2, 3],
    [0, 1],
    [0, 1, 2, 3],
    [0, 1, 2],
    [2],
    [0, 1, 3],
    [0, 1, 3, 4, 5, 6, 7],
    [0, 1, 3, 4, 5],
    [0, 1, 3, 4, 5, 6, 7],
    [0, 1, 3, 4, 5, 6],
    [6],
    [0, 1, 3, 4, 5, 7],
  ]);
});
