import type { Row } from '../../database/database.ts';
import { DatabaseRefusal } from '../../database/errors.ts';
import type { DeletePlan } from '../../plan/write/delete.ts';
import { isInstead } from '../../plan/write/save.ts';
import { heldColumns } from '../../plan/write/write-queries.ts';
import type { Literal } from '../../protocol/ast.ts';
import type { Statement } from '../../sql/ir/statement.ts';
import { noEntity } from '../body/entity-key.ts';
import type { PlannedDelete, RefusedEntity } from '../convert/types.ts';
import { retryingDeadlocks } from '../../database/connection.ts';
import { sourceOn, type Execution } from '../run.ts';
import {
  batchId,
  currentRows,
  inputsOf,
  intoBatches,
  keyId,
  readVersion,
  returnedKeys,
  rowCount,
  writeBatches,
  writeExisting,
} from '../save/rows/current-rows.ts';
import type { Attempt, WriteContext } from '../write/attempt.ts';
import { writeDirectly } from '../write/directly.ts';
import { refuseLocked, refuseLockedKeys } from '../write/lock.ts';
import {
  type CurrentRow,
  deletedRow,
  type Outcome,
  outcomeOf,
  reported,
  RowWrite,
  unfailed,
} from '../write/outcome.ts';
import { dryRun as dryRunOf, reportOn, rollingBack, writeElements } from '../write/transactions.ts';
import { explainRefusal } from '../write/violation.ts';
import {
  fail,
  keptByFilter,
  noneDeleted,
  notChanged,
  notOnly,
  notPermitted,
  stampChanged,
} from '../write/write-errors.ts';
import { inBodyOrder } from '../write/units.ts';

/** Deletes the entities that a filter finds, by one statement, all or none, and returns how many. Where triggers may keep rows, another one checks whether they have. */
export async function runDeleteWhere(
  { dataclass, counted, left, dryRun }: DeletePlan,
  statement: Statement,
  values: readonly Literal[],
  execution: Execution,
): Promise<number> {
  const { model, activity } = execution;
  const { database } = dryRun ? rollingBack(execution) : execution;
  const report = dryRun ? null : reportOn(activity, { kind: 'delete', dataclass, unique: null });
  const deleted = await retryingDeadlocks(() =>
    database.transaction(async (connection) => {
      const source = sourceOn(connection, execution);
      const countOf = async (count: Statement): Promise<number> => {
        const [row] = await source.run(count, { values });
        return Number(row?.[0] ?? 0);
      };
      const count = counted === null ? null : await countOf(counted);
      const rows = await source.run(statement, { values });
      if (execution.locks !== null && statement.readers.length > 0) {
        await refuseLockedKeys(
          [...returnedKeys(statement, rows, dataclass)],
          dataclass,
          { locks: execution.locks, source },
          noneDeleted(dataclass),
        );
      }
      if (left !== null && (await countOf(left)) > 0) throw keptByFilter(dataclass);
      return { rows, count: count ?? rows.length };
    }, activity),
  ).catch((error: unknown) => {
    if (!(error instanceof DatabaseRefusal)) throw error;
    const refused = explainRefusal(error, { kind: 'delete', dataclass, model });
    throw refused.leadingTo(noneDeleted(dataclass));
  });
  // Of a dataclass without a key it is not known which they were.
  const keyless = deleted.count > 0 ? [null] : [];
  const isKeyed = statement.readers.length > 0;
  await report?.deleted(isKeyed ? returnedKeys(statement, deleted.rows, dataclass) : keyless);
  return deleted.count;
}

/** Deletes entities by their keys. With `$atomic` all are deleted or none (§4.13); otherwise each stands or falls alone. */
export async function runDelete(
  plan: DeletePlan,
  entities: readonly DeletedEntity[],
  execution: Execution,
): Promise<readonly Outcome[]> {
  const { dataclass, atomic, target, dryRun } = plan;
  const unique = target?.unique ?? null;
  const context: WriteContext = {
    kind: 'delete',
    dataclass,
    model: execution.model,
    attributes: target?.attributes ?? dataclass.key,
    unique,
    isInBody: target === null,
    atomic,
    report: dryRun ? null : reportOn(execution.activity, { kind: 'delete', dataclass, unique }),
  };
  const isDirect = plan.isPlain && context.report === null;
  const first = isDirect
    ? (some: readonly DeletedEntity[]) => deleteDirectly(some, context, execution)
    : null;
  const outcomes = dryRun
    ? await dryRunOf(entities, context, execution, async (some, refused, attempt) => [
        ...(await deleteRows(some, attempt)),
        ...refused,
      ])
    : await writeElements(entities, context, execution, deleteRows, first);
  // The answer spells the keys as the client does.
  for (const outcome of outcomes) outcome.key = entities[outcome.index]?.key ?? null;
  return [...outcomes].sort(inBodyOrder);
}

/** An entity of a request to delete, or why it is refused. */
type DeletedEntity = PlannedDelete | RefusedEntity;

/** Deletes entities by one statement, which finds them by key and stamp; none where they are not alike, or one is named twice. */
async function deleteDirectly(
  entities: readonly DeletedEntity[],
  context: WriteContext,
  execution: Execution,
): Promise<readonly Outcome[]> {
  const { dataclass } = context;
  const planned = entities.filter((entity): entity is PlannedDelete => !('error' in entity));
  const keys = new Set(planned.map(({ key }) => keyId(key)));
  const isStamped = planned[0]?.stamp !== null;
  // Without a stamp, an entity may have been locked by a session that has ended.
  const isSafe = isStamped || execution.locks?.hasEnded !== true;
  const areAlike = planned.every(({ stamp }) => (stamp !== null) === isStamped);
  if (keys.size < entities.length || !isSafe || !areAlike) return [];
  const statement = execution.statements.deleteRows(dataclass, isStamped, rowCount(planned));
  return writeDirectly(planned.length, context, execution, async (source) => {
    const rows = await source.run(statement, {
      rows: planned.map(({ key, stamp }) => (stamp === null ? key : [...key, stamp])),
    });
    const deleted = planned.filter(ordinalsIn(rows));
    return deleted.map((entity) => outcomeOf('deleted', entity));
  });
}

/** Deletes entities, with stamps and without by a statement each; one by one for an INSTEAD OF trigger. What a body holds twice is deleted twice. */
export async function deleteRows(
  entities: readonly DeletedEntity[],
  attempt: Attempt,
): Promise<Outcome[]> {
  const { report, dataclass } = attempt;
  const items = entities.map((entity) => {
    const item = new RowWrite(entity);
    if ('error' in entity) fail(item, entity.error, attempt);
    return item;
  });
  const columns = [...(report?.wantedColumns ?? []), ...heldColumns(dataclass)];
  await writeExisting(
    unfailed(items),
    () => columns,
    'delete',
    attempt,
    (met) => deleteEachOnce(met, attempt),
  );
  // Of those that are passed over nothing is told.
  return items.filter(({ kind }) => kind !== 'open');
}

async function deleteEachOnce(items: readonly RowWrite[], attempt: Attempt): Promise<void> {
  const sought = items.filter(({ current }) => current !== null || attempt.passesOverGone !== true);
  for (const item of sought) planDeletion(item, attempt);
  await refuseLocked(unfailed(sought), 'delete', attempt);
  const isAlone = isInstead(attempt.dataclass, 'delete');
  const batches = await intoBatches(unfailed(sought), (item) => batchId(item, isAlone));
  await writeBatches(batches, 'delete', attempt, (some) => deleteItems(some, attempt));
}

function planDeletion(item: RowWrite, attempt: Attempt): void {
  const { dataclass, unique } = attempt;
  const { address, stamp, current } = item;
  if (current === null) {
    fail(item, noEntity(address, dataclass, unique), attempt);
    return;
  }
  item.key = current.key;
  item.version = readVersion(stamp, current, dataclass);
  if (!current.isOnly) fail(item, notOnly('delete', current.key, dataclass), attempt);
  else if (!current.isPermitted) {
    fail(item, notPermitted('delete', address ?? [], dataclass), attempt);
  } else if (stamp !== null && stamp !== current.stamp) {
    fail(item, stampChanged('delete', address ?? [], dataclass), attempt, true);
  }
}

async function deleteItems(items: readonly RowWrite[], attempt: Attempt): Promise<void> {
  const { statements, source, dataclass } = attempt;
  const statement = statements.deleteRows(dataclass, items[0]?.version !== null, rowCount(items));
  const rows = await source.run(statement, inputsOf(items));
  const isAlone = isInstead(dataclass, 'delete');
  const isDeleted = ordinalsIn(isAlone ? [] : rows);
  const doubtful = items.filter((item, at) => !isDeleted(item, at));
  for (const item of items.filter(isDeleted)) noteDeleted(item, attempt);
  const keys = doubtful.map(({ key }) => key ?? []);
  const present = await currentRows(dataclass.key, keys, [], 'delete', attempt);
  for (const [at, item] of doubtful.entries()) {
    explain(item, present[at] ?? null, isAlone && rows.length > 0, attempt);
  }
}

/** Whether a statement has returned the ordinal of a row that it was given. */
function ordinalsIn(rows: readonly Row[]): (item: object, ordinal: number) => boolean {
  const ordinals = new Set(rows.map(([ordinal]) => Number(ordinal)));
  return (_item, ordinal) => ordinals.has(ordinal);
}

/** Explains why a row was not returned as deleted: it was gone, has changed, or was kept. `wasMet`: the statement deleted a row that is gone. */
function explain(item: RowWrite, now: CurrentRow | null, wasMet: boolean, attempt: Attempt): void {
  const { key, stamp } = item;
  const { dataclass, passesOverGone } = attempt;
  if (now === null && (wasMet || passesOverGone === true)) noteDeleted(item, attempt);
  else if (now === null) fail(item, noEntity(key, dataclass), attempt);
  else if (stamp !== null && stamp !== now.stamp) {
    fail(item, stampChanged('delete', now.key, dataclass), attempt, true);
  } else fail(item, notChanged('delete', now.key, dataclass), attempt);
}

function noteDeleted(item: RowWrite, attempt: Attempt): void {
  item.kind = 'deleted';
  item.written = reported(attempt, () => deletedRow(item.current?.column ?? null));
}
