import type { KeyList } from '../../state/entity-set/keys.ts';
import type { Literal } from '../../protocol/ast.ts';
import type { KeyTexts } from '../body/body-key.ts';
import type { PlannedDelete } from '../convert/types.ts';
import { explainingEnd, isStillReferredTo } from '../write/all-or-none.ts';
import { type Attempt, transact, type WriteContext } from '../write/attempt.ts';
import { currentRows } from '../save/rows/current-rows.ts';
import { deleteRows, isDeletedAlone } from './delete-rows.ts';
import { failed } from '../write/outcome.ts';
import { returnedKey, returnedKeys } from '../save/rows/affected-keys.ts';
import { keysText } from '../keys-text.ts';
import { refuseLockedKeys } from '../write/refuse-locked.ts';
import { narrowKeys } from '../sets/narrow-keys.ts';
import type { DeleteSetPlan } from '../../plan/read/entity-set.ts';
import type { WriteStatements } from '../save/rows/write-statements.ts';
import type { Execution } from '../run.ts';
import { neededKeys, type SetAccess, type SetExecution } from '../sets/set-keys.ts';
import { WriteReport } from '../write/write-report.ts';
import { failFast, notChanged, nothingDone, notPermitted } from '../write/write-errors.ts';

/** How many entities one statement deletes: SQL Server locks a whole table from 5,000 locks of one statement on. */
const DELETED_AT_ONCE = 1000;

/** About what a key takes that a statement answers, in bytes. */
const ANSWERED_KEY_BYTES = 100;

/**
 * Deletes the entities of a set in one transaction: all that are there, or none (§3.1). The set stays, its references undefined.
 * @throws ProtocolError noSuchEntitySet, where a rule of the database stands against it, and what the database throws
 */
export async function runDeleteSet(
  { dataclass, id, narrowing }: DeleteSetPlan,
  statements: WriteStatements,
  values: readonly Literal[],
  execution: Execution,
  access: SetAccess,
): Promise<void> {
  const workspace = access.sets.workspace();
  const own: SetExecution = { access, workspace, values, ...execution };
  try {
    const all = await neededKeys(id, dataclass, own);
    const keys = narrowing === null ? all : await narrowKeys(all, narrowing, own);
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
      report: WriteReport.of(execution, { kind: 'delete', dataclass, unique: null }),
    };
    const deleted = await explainingEnd(context, () => deleteKeys(keys, context, own));
    await context.report?.deleted(deleted);
  } finally {
    workspace.close();
  }
}

/**
 * Deletes entities by statements of bounded size; where a row refers to one of them, by a single one, which the engines judge by its
 * end: what refers to it may be deleted as well.
 * @returns the keys of those that were there, where somebody wants to hear of them
 */
async function deleteKeys(
  keys: KeyList,
  context: WriteContext,
  execution: SetExecution,
): Promise<Iterable<KeyTexts>> {
  try {
    return await transact(context, execution, false, (attempt) => deleteInPieces(keys, attempt));
  } catch (error) {
    const isInOne = keys.size <= DELETED_AT_ONCE;
    if (isInOne || isDeletedAlone(context) || !isStillReferredTo(error)) throw error;
    return transact(context, execution, false, (attempt) =>
      deleteTogether(keys, attempt, execution),
    );
  }
}

async function deleteInPieces(keys: KeyList, attempt: Attempt): Promise<Iterable<KeyTexts>> {
  // What is a bit for each of them as long as it is not committed, is a key as long as it is told.
  const marks = new Uint8Array(attempt.report === null ? 0 : keys.size);
  for (let from = 0; from < keys.size; from += DELETED_AT_ONCE) {
    const some = keys.slice(from, from + DELETED_AT_ONCE);
    const outcomes = await deleteRows(
      some.map((key, at): PlannedDelete => ({ index: from + at, key, stamp: null })),
      { ...attempt, report: null },
    );
    if (marks.length > 0) for (const { index } of outcomes) marks[index] = 1;
  }
  return markedKeys(keys, marks);
}

function* markedKeys(keys: KeyList, marks: Uint8Array): Generator<KeyTexts> {
  for (const [index, mark] of marks.entries()) if (mark === 1) yield keys.at(index);
}

async function deleteTogether(
  keys: KeyList,
  attempt: Attempt,
  execution: SetExecution,
): Promise<Iterable<KeyTexts>> {
  const { statements, source, dataclass } = attempt;
  const { scratch } = execution.workspace;
  const statement = statements.deleteRows(false, 'many');
  const text = await keysText(keys, 0, keys.size, statement, execution);
  const bytes = text.length + keys.size * ANSWERED_KEY_BYTES;
  scratch.reserve(bytes);
  const deleted = await source.run(statement, { rowsText: text });
  if (attempt.locks !== null) {
    const gone = deleted.map((row) => returnedKey(statement, row, dataclass));
    await refuseLockedKeys(gone, dataclass, attempt, nothingDone('delete'));
  }
  scratch.reserve(-bytes);
  const told = attempt.report === null ? [] : returnedKeys(statement, deleted, dataclass);
  if (deleted.length === keys.size) return told;
  // What it did not meet was gone, or a rule of the database's own keeps it.
  for (let from = 0; from < keys.size; from += DELETED_AT_ONCE) {
    const some = keys.slice(from, from + DELETED_AT_ONCE);
    const rows = await currentRows(dataclass.key, some, [], 'delete', attempt);
    const kept = some.flatMap((key, at) => {
      const row = rows[at] ?? null;
      if (row === null) return [];
      const explain = row.isPermitted ? notChanged : notPermitted;
      return [failed({ index: from + at, key }, explain('delete', key, dataclass))];
    });
    failFast(kept, attempt);
  }
  return told;
}
