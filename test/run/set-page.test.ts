import { expect, test } from 'vitest';
import type { KeyList } from '../../src/state/entity-set/keys.ts';
import { DataRows } from '../../src/database/postgres/row-reader.ts';
import type { BatchingDatabase, RunOptions } from '../../src/database/database.ts';
import { readPage } from '../../src/run/sets/entity-set.ts';
import type { SetAccess } from '../../src/run/sets/set-keys.ts';
import { planEntitySet } from '../../src/plan/read/entity-set.ts';
import type { EntitySetRequest } from '../../src/protocol/ast.ts';
import { parseRequest } from '../../src/protocol/parse.ts';
import { dataRow } from '../database/postgres/messages.ts';
import { planning, readSnapshot, sampleModel } from '../fixtures/legacy/model.ts';
import { postgres as dialect } from '../fixtures/dialects.ts';
import { execution } from './fakes.ts';

const model = await sampleModel(readSnapshot('postgres'));
const { ast, values } = parseRequest(`/rest/Employee/$entityset/${'A'.repeat(32)}?$attributes=ID`);
const printed = planEntitySet(ast as EntitySetRequest, planning(model, dialect));
const width = printed.page.readers.length;

/** Four keys of a set, of which the database finds rows in these places. */
async function page(places: readonly number[], isEncoded: boolean): ReturnType<typeof readPage> {
  const rows = places.map((place) =>
    Array.from({ length: width }, (_, column) => String(column === 0 ? place : 7)),
  );
  const encoded = new DataRows();
  for (const row of rows) {
    const bytes = dataRow(row);
    encoded.add(bytes, 0, bytes.length);
  }
  const run = (_: unknown, options: RunOptions): Promise<object> =>
    Promise.resolve(options.encoded === true ? { rows: [], encoded } : { rows });
  const keys = { size: 4, slice: () => [['1'], ['2'], ['3'], ['4']] } as unknown as KeyList;
  return readPage(
    printed,
    keys,
    { from: 0, to: 4 },
    {
      ...execution([]),
      values,
      access: {} as SetAccess,
      database: { dialect, run } as unknown as BatchingDatabase,
      model,
    },
    isEncoded,
  );
}

test.each([
  [[0, 1, 2, 3], [0, 1, 2, 3], 'encoded'],
  [[1, 3], [-1, 0, -1, 1], 'encoded'],
  [[], [-1, -1, -1, -1], 'encoded'],
  [[3, 1], [-1, 1, -1, 0], 'decoded'],
  [[1, 1, 2], [-1, 1, 2, -1], 'decoded'],
] as const)('rows in the places %j are those of %j, and stay %s', async (places, rowOf, form) => {
  const plain = await page(places, false);
  expect([[...plain.rowOf], plain.encoded]).toEqual([rowOf, undefined]);
  const asked = await page(places, true);
  expect([...asked.rowOf]).toEqual(rowOf);
  expect(asked.encoded?.length).toBe(form === 'encoded' ? places.length : undefined);
  expect(asked.fetched.rows).toHaveLength(form === 'encoded' ? 0 : places.length);
});
