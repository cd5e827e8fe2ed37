import { expect, test } from 'vitest';
import type { BatchingDatabase, Row } from '../../../src/database/database.ts';
import { sourceKeys, type SetAccess, wholeList } from '../../../src/run/sets/set-keys.ts';
import { planEntitySet } from '../../../src/plan/read/entity-set.ts';
import type { EntitySetRequest } from '../../../src/protocol/ast.ts';
import { parseRequest } from '../../../src/protocol/parse.ts';
import { tally } from '../../state/entity-set/lists.ts';
import { planning, readSnapshot, sampleModel } from '../../fixtures/legacy/model.ts';
import { databaseSays, execution } from '../fakes.ts';
import { postgres as dialect } from '../../fixtures/dialects.ts';

/** A database whose streams hold as many keys each, and all but the last of which fall victim to a deadlock then. */
function deadlocking(sizes: readonly number[]): BatchingDatabase {
  let asked = 0;
  async function* stream(): AsyncGenerator<readonly Row[]> {
    const size = sizes[asked] ?? 0;
    asked += 1;
    yield await Promise.resolve(Array.from({ length: size }, (_, index) => [String(index)]));
    if (asked < sizes.length) throw databaseSays('deadlock');
  }
  return { dialect, stream } as unknown as BatchingDatabase;
}

test('a selection of keys that fell victim to a deadlock gives its room back before it is tried again', async () => {
  const model = await sampleModel(readSnapshot('postgres'));
  const { ast, values } = parseRequest('/rest/Employee?$method=entityset');
  const plan = planEntitySet(ast as EntitySetRequest, planning(model, dialect));
  const workspace = tally();
  const setExecution = {
    ...execution([]),
    values,
    database: deadlocking([40_000, 7, 20_000]),
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
