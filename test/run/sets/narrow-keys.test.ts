import { expect, test } from 'vitest';
import type { BatchingDatabase, Row } from '../../../src/database/database.ts';
import { narrowKeys } from '../../../src/run/sets/narrow-keys.ts';
import type { SetAccess } from '../../../src/run/sets/set-keys.ts';
import { gatewayContext } from '../../../src/base/observe/observer.ts';
import { integers, listOf, tally } from '../../state/entity-set/lists.ts';
import { databaseSays, execution } from '../fakes.ts';
import { postgres as dialect } from '../../fixtures/dialects.ts';

/** A database whose streams answer these ordinals, and all but the last of which fall victim to a deadlock then. */
function deadlocking(answers: readonly (readonly number[])[]): BatchingDatabase {
  let asked = 0;
  async function* stream(): AsyncGenerator<readonly Row[]> {
    const ordinals = answers[asked] ?? [];
    asked += 1;
    yield await Promise.resolve(ordinals.map((ordinal) => [String(ordinal)]));
    if (asked < answers.length) throw databaseSays('deadlock');
  }
  return { dialect, stream } as unknown as BatchingDatabase;
}

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
      database: deadlocking([[3, 0], [1], [2, 0, 1]]),
      activity: gatewayContext,
      access: {} as SetAccess,
      workspace,
    },
  );
  expect(narrowed.slice(0, 9)).toEqual([['12'], ['10'], ['11']]);
  expect(workspace.reserved).toEqual({ set: narrowed.bytes, scratch: 0 });
});
