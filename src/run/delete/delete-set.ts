import type { KeyList } from '../../state/entity-set/keys.ts';
import type { KeyTexts, PlannedDelete } from '../convert/types.ts';
import { currentRows } from '../save/rows/current-rows.ts';
import type { Attempt, WriteContext } from '../write/attempt.ts';
import {
  explainingRefusal,
  isStillReferredTo,
  reportOn,
  rollingBack,
  transact,
} from '../write/transactions.ts';
import { isInstead } from '../../plan/write/save.ts';
import { deleteRows } from './delete.ts';
import { keysText } from '../run.ts';
import { refuseLockedKeys } from '../write/lock.ts';
import { narrowKeys } from '../sets/narrow-keys.ts';
import type { DeleteSetPlan } from '../../plan/read/entity-set.ts';
import {
  neededKeys,
  type SetExecution,
  type SetRequest,
  wholeList,
  withWorkspace,
} from '../sets/set-keys.ts';
import { atomicError, notChanged, nothingDone, notPermitted } from '../write/write-errors.ts';

/** How many entities one statement deletes: SQL Server locks a whole table where one statement holds 5,000 locks. */
const DELETED_AT_ONCE = 1000;

/** The approximate size of a key in a statement's result, in bytes. */
const ANSWERED_KEY_BYTES = 100;

/** Deletes the entities of a set in one transaction, all that are there or none (§3.1), and returns how many. The set stays, its references undefined. */
export async function runDeleteSet(
  { dataclass, id, narrowing, dryRun }: DeleteSetPlan,
  request: SetRequest,
): Promise<number> {
  return withWorkspace(request, async (own) => {
    const all = await neededKeys(id, dataclass, own);
    const keys = await (narrowing === null ? wholeList(all, own) : narrowKeys(all, narrowing, own));
    const context: WriteContext = {
      kind: 'delete',
      dataclass,
      model: own.model,
      attributes: dataclass.key,
      unique: null,
      isInBody: false,
      atomic: true,
      passesOverGone: true,
      report: dryRun ? null : reportOn(own.activity, { kind: 'delete', dataclass, unique: null }),
    };
    const execution = dryRun ? { ...own, ...rollingBack(own) } : own;
    const deleted = await explainingRefusal(context, () => deleteKeys(keys, context, execution));
    await context.report?.deleted(deleted.keys);
    return deleted.count;
  });
}

/** Those entities of a set that were there. */
interface Deleted {
  readonly count: number;
  /** Their keys where they are reported. */
  readonly keys: Iterable<KeyTexts>;
}

/** Deletes entities by statements of bounded size; by one where rows refer to each other. */
async function deleteKeys(
  keys: KeyList,
  context: WriteContext,
  execution: SetExecution,
): Promise<Deleted> {
  try {
    return await transact(context, execution, false, (attempt) => deleteInPieces(keys, attempt));
  } catch (error) {
    const isInOne = keys.size <= DELETED_AT_ONCE;
    if (isInOne || isInstead(context.dataclass, 'delete') || !isStillReferredTo(error)) throw error;
    return transact(context, execution, false, (attempt) =>
      deleteTogether(keys, attempt, execution),
    );
  }
}

async function deleteInPieces(keys: KeyList, attempt: Attempt): Promise<Deleted> {
  // Outcomes with all keys would take much more memory until the commit.
  const marks = new Uint8Array(attempt.report === null ? 0 : keys.size);
  let count = 0;
  for (let from = 0; from < keys.size; from += DELETED_AT_ONCE) {
    const some = keys.slice(from, from + DELETED_AT_ONCE);
    const outcomes = await deleteRows(
      some.map((key, at): PlannedDelete => ({ index: from + at, key, stamp: null })),
      { ...attempt, report: null },
    );
    count += outcomes.length;
    if (marks.length > 0) for (const { index } of outcomes) marks[index] = 1;
  }
  return { count, keys: markedKeys(keys, marks) };
}

function* markedKeys(keys: KeyList, marks: Uint8Array): Generator<KeyTexts> {
  for (const [index, mark] of marks.entries()) if (mark === 1) yield keys.at(index);
}

async function deleteTogether(
  keys: KeyList,
  attempt: Attempt,
  execution: SetExecution,
): Promise<Deleted> {
  const { statements, source, dataclass } = attempt;
  const { scratch } = execution.workspace;
  const statement = statements.deleteRows(dataclass, false, 'many');
  const text = await keysText(keys, 0, keys.size, statement, execution);
  const bytes = text.length + keys.size * ANSWERED_KEY_BYTES;
  scratch.reserve(bytes);
  const deleted = await source.run(statement, { rowsText: text });
  const isNamed = attempt.locks !== null || attempt.report !== null;
  const gone = isNamed ? deleted.map(([ordinal]) => keys.at(Number(ordinal))) : [];
  await refuseLockedKeys(gone, dataclass, attempt, nothingDone('delete'));
  scratch.reserve(-bytes);
  const result: Deleted = { count: deleted.length, keys: gone };
  if (deleted.length === keys.size) return result;
  // The others were gone, or a rule of the database keeps them.
  for (let from = 0; from < keys.size; from += DELETED_AT_ONCE) {
    const some = keys.slice(from, from + DELETED_AT_ONCE);
    const rows = await currentRows(dataclass.key, some, [], 'delete', attempt);
    for (const [at, key] of some.entries()) {
      const row = rows[at] ?? null;
      if (row === null) continue;
      const explain = row.isPermitted ? notChanged : notPermitted;
      throw atomicError(explain('delete', key, dataclass), { index: from + at, key }, attempt);
    }
  }
  return result;
}
