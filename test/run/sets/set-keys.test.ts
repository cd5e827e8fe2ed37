import { expect, test } from 'vitest';
import type { BatchingDatabase, Row, RunOptions } from '../../../src/database/database.ts';
import { type SetAccess, sourceKeys, wholeList } from '../../../src/run/sets/set-keys.ts';
import { planEntitySet } from '../../../src/plan/read/entity-set.ts';
import type { EntitySetRequest } from '../../../src/protocol/ast.ts';
import { parseRequest } from '../../../src/protocol/parse.ts';
import { integers, listOf, tally } from '../../state/entity-set/lists.ts';
import { planning, readSnapshot, sampleModel } from '../../fixtures/legacy/model.ts';
import { databaseSays, execution } from '../fakes.ts';
import { postgres as dialect } from '../../fixtures/dialects.ts';
import { narrowKeys } from '../../../src/run/sets/narrow-keys.ts';
import { gatewayContext } from '../../../src/base/observe/observer.ts';
import type { KeyList } from '../../../src/state/entity-set/keys.ts';
import { DataRows } from '../../../src/database/postgres/row-reader.ts';
import { readPage } from '../../../src/run/sets/entity-set.ts';
import { dataRow } from '../../database/postgres/messages.ts';

/** A database whose streams answer these numbers, and all but the last of which fall victim to a deadlock then. */
function deadlocking(...answers: readonly (readonly number[])[]): BatchingDatabase {
  let asked = 0;
  async function* stream(): AsyncGenerator<readonly Row[]> {
    const numbers = answers[asked] ?? [];
    asked += 1;
    yield await Promise.resolve(numbers.map((number) => [String(number)]));
    if (asked < answers.length) throw databaseSays('deadlock');
  }
  return { dialect, stream } as unknown as BatchingDatabase;
}

const numbers = (size: number): readonly number[] => Array.from({ length: size }, (_, at) => at);

test('a selection of keys that fell victim to a deadlock gives its room back before it is tried again', async () => {
  const model = await sampleModel(readSnapshot('postgres'));
  const { ast, values } = parseRequest('/rest/Employee?$method=entityset');
  const plan = planEntitySet(ast as EntitySetRequest, planning(model, dialect));
  const workspace = tally();
  const setExecution = {
    ...execution([]),
    values,
    database: deadlocking(numbers(40_000), numbers(7), numbers(20_000)),
    model,
    access: {} as SetAccess,
    workspace,
  };
  const keys = await wholeList(
    await sourceKeys(plan.source, plan.dataclass, setExecution),
    setExecution,
  );
  expect(keys.size).toBe(20_000);
  expect(workspace.reserved).toEqual({ set: keys.bytes, scratch: 0 });
});

test('a question about keys that fell victim to a deadlock is asked again, and its first answers are forgotten', async () => {
  const workspace = tally();
  const keys = listOf(integers([10, 11, 12, 13]));
  const narrowed = await narrowKeys(
    keys,
    {
      statement: { name: '', text: '', parameters: [], readers: [], effect: 'read' },
      isOrder: true,
      keepsUndefined: false,
    },
    {
      values: [],
      ...execution([]),
      database: deadlocking([3, 0], [1], [2, 0, 1]),
      activity: gatewayContext,
      access: {} as SetAccess,
      workspace,
    },
  );
  expect(narrowed.slice(0, 9)).toEqual([['12'], ['10'], ['11']]);
  expect(workspace.reserved).toEqual({ set: narrowed.bytes, scratch: 0 });
});

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
