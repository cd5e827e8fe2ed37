import { expect, test } from 'vitest';
import { Selectivity } from '../../../src/database/postgres/selectivity.ts';
import type { Filtered } from '../../../src/database/postgres/statement-query.ts';
import type { Row } from '../../../src/database/database.ts';

interface Asked {
  readonly values: readonly string[];
  readonly answer: (rows: readonly Row[]) => Promise<void>;
  readonly fail: () => Promise<void>;
}

let now = 0;

/** Few rows of a server whose answers are given by hand. */
function selectivity(): { few: Selectivity; asked: Asked[] } {
  const asked: Asked[] = [];
  const settled = (): Promise<void> => new Promise(setImmediate);
  const few = new Selectivity(
    (_statement, values) =>
      new Promise((resolve, reject) => {
        asked.push({
          values,
          answer: (rows) => {
            resolve(rows);
            return settled();
          },
          fail: () => {
            reject(new Error('away'));
            return settled();
          },
        });
      }),
    () => now,
  );
  return { few, asked };
}

const column = (name: string, table = 't'): Filtered[number] => ({
  schema: 's',
  table,
  column: name,
  isRelated: false,
});

test('what is not known is asked for once, and is not so until then', async () => {
  const { few, asked } = selectivity();
  expect(few.isSelective([column('a')])).toBe(false);
  expect(few.isSelective([column('b')])).toBe(false);
  expect(asked.map(({ values }) => values)).toEqual([['s', 't']]);
  await asked[0]?.answer([['a'], ['c']]);
  expect(['a', 'b', 'c'].map((name) => few.isSelective([column(name)]))).toEqual([
    true,
    false,
    true,
  ]);
  expect(asked).toHaveLength(1);
});

test('of several columns all have to be', async () => {
  const { few, asked } = selectivity();
  expect(few.isSelective([column('a'), column('a', 'u')])).toBe(false);
  expect(asked.map(({ values }) => values)).toEqual([
    ['s', 't'],
    ['s', 'u'],
  ]);
  await asked[0]?.answer([['a']]);
  expect(few.isSelective([column('a'), column('a', 'u')])).toBe(false);
  await asked[1]?.answer([['a']]);
  expect(few.isSelective([column('a'), column('a', 'u')])).toBe(true);
  expect(few.isSelective([column('a'), column('b', 'u')])).toBe(false);
});

test('it is asked for again after ten minutes, and holds until the answer is there', async () => {
  const { few, asked } = selectivity();
  few.isSelective([column('a')]);
  await asked[0]?.answer([['a']]);
  now += 599_999;
  expect([few.isSelective([column('a')]), asked.length]).toEqual([true, 1]);
  now += 1;
  expect([few.isSelective([column('a')]), asked.length]).toEqual([true, 2]);
  expect([few.isSelective([column('a')]), asked.length]).toEqual([true, 2]);
  await asked[1]?.answer([]);
  expect([few.isSelective([column('a')]), asked.length]).toEqual([false, 2]);
});

test('where nothing can be learnt, it is tried again as late', async () => {
  const { few, asked } = selectivity();
  few.isSelective([column('a')]);
  await asked[0]?.fail();
  expect([few.isSelective([column('a')]), asked.length]).toEqual([false, 1]);
  now += 600_000;
  expect([few.isSelective([column('a')]), asked.length]).toEqual([false, 2]);
});
