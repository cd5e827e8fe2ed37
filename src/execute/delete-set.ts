import type { KeyList } from '../entity-set/keys.ts';
import type { Literal } from '../request/ast.ts';
import type { PlannedDelete } from '../values/types.ts';
import { allOrNone } from './all-or-none.ts';
import type { Attempt, WriteContext } from './attempt.ts';
import { deleteRows } from './delete-rows.ts';
import { narrowedKeys } from './narrowed.ts';
import type { PrintedDeleteSet } from './print-entity-set.ts';
import type { Execution } from './run.ts';
import { neededKeys, type SetAccess } from './set-keys.ts';

/** How many entities one statement deletes: SQL Server locks a whole table from 5,000 locks of one statement on. */
const DELETED_AT_ONCE = 1000;

/**
 * Deletes the entities of a set in one transaction: all that are there, or none (§3.1). The set stays, its references undefined.
 * @throws ProtocolError noSuchEntitySet, where a rule of the database stands against it, and what the database throws
 */
export async function runDeleteSet(
  { plan: { dataclass, id }, narrowing, statements }: PrintedDeleteSet,
  values: readonly Literal[],
  execution: Execution,
  access: SetAccess,
): Promise<void> {
  const workspace = access.sets.workspace();
  try {
    const all = await neededKeys(id, dataclass, values, access);
    const keys =
      narrowing === null
        ? all
        : await narrowedKeys(all, narrowing, values, { ...execution, access, workspace });
    const context: WriteContext = {
      kind: 'delete',
      dataclass,
      model: execution.model,
      statements,
      attributes: dataclass.key,
      unique: null,
      isInBody: false,
      atomic: true,
      passesOverGone: true,
    };
    await allOrNone(context, execution, (attempt) => deleteAll(keys, attempt));
  } finally {
    workspace.close();
  }
}

async function deleteAll(keys: KeyList, attempt: Attempt): Promise<void> {
  for (let from = 0; from < keys.size; from += DELETED_AT_ONCE) {
    const some = keys.slice(from, from + DELETED_AT_ONCE);
    await deleteRows(
      some.map((key, at): PlannedDelete => ({ index: from + at, key, stamp: null })),
      attempt,
    );
  }
}
