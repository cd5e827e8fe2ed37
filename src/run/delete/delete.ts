import type { Row } from '../../database/database.ts';
import { DatabaseRefusal } from '../../database/violation.ts';
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
  affectedKeys,
  batchId,
  type CurrentRow,
  currentRows,
  intoBatches,
  keyId,
  readVersion,
  returnedKeys,
  rowCount,
  type WithRow,
  writeBatches,
  writeExisting,
} from '../save/rows/current-rows.ts';
import type { Attempt, WriteContext } from '../write/attempt.ts';
import { NotDirectly, writeDirectly } from '../write/directly.ts';
import { refuseLocked, refuseLockedKeys } from '../write/lock.ts';
import {
  deletedRow,
  type Element,
  failed,
  type Failed,
  type OrFailed,
  orRefused,
  type Outcome,
  outcomeOf,
  reported,
} from '../write/outcome.ts';
import {
  allOrNone,
  dryRun as dryRunOf,
  rollingBack,
  writeAllOrNone,
  writeIndependently,
} from '../write/transactions.ts';
import { explainRefusal } from '../write/violation.ts';
import {
  failFast,
  keptByFilter,
  noneDeleted,
  notChanged,
  notPermitted,
  sortOut,
  stampChanged,
} from '../write/write-errors.ts';
import { inBodyOrder } from '../write/units.ts';
import { WriteReport } from '../write/write-report.ts';

/** Deletes the entities that a filter finds, by one statement, all or none, and returns how many. Where triggers may keep rows, another one checks whether they have. */
export async function runDeleteWhere(
  { dataclass, counted, left, dryRun }: DeletePlan,
  statement: Statement,
  values: readonly Literal[],
  execution: Execution,
): Promise<number> {
  const { model, activity } = execution;
  const { database } = dryRun ? rollingBack(execution) : execution;
  const report = dryRun
    ? null
    : WriteReport.of(execution, { kind: 'delete', dataclass, unique: null });
  let deleted: { readonly rows: readonly Row[]; readonly count: number };
  try {
    deleted = await retryingDeadlocks(() =>
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
    );
  } catch (error) {
    if (!(error instanceof DatabaseRefusal)) throw error;
    throw explainRefusal(error, { kind: 'delete', dataclass, model }).leadingTo(
      noneDeleted(dataclass),
    );
  }
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
    report: dryRun ? null : WriteReport.of(execution, { kind: 'delete', dataclass, unique }),
  };
  const isDirect = plan.isPlain && context.report === null;
  const first = isDirect
    ? (some: readonly DeletedEntity[]) => deleteDirectly(some, context, execution)
    : null;
  const work = (some: readonly DeletedEntity[], attempt: Attempt): Promise<Outcome[]> =>
    deleteRows(some, attempt);
  const outcomes = dryRun
    ? await dryRunDelete(entities, context, rollingBack(execution))
    : atomic
      ? await writeAllOrNone(
          entities,
          context,
          execution,
          (attempt) => work(entities, attempt),
          first,
        )
      : await writeIndependently(entities, context, execution, work, first);
  // The answer spells the keys as the client does.
  return outcomes
    .map((outcome) => ({ ...outcome, key: entities[outcome.index]?.key ?? null }))
    .sort((a, b) => a.index - b.index);
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
  // The digits of a UUID are the same in capitals.
  const byKey = new Map(planned.map((entity) => [keyId(entity.key).toLowerCase(), entity]));
  const isStamped = planned[0]?.stamp !== null;
  // Without a stamp, an entity may have been locked by a session that has ended.
  const isSafe = isStamped || execution.locks?.hasEnded !== true;
  const areAlike = planned.every(({ stamp }) => (stamp !== null) === isStamped);
  if (byKey.size < entities.length || !isSafe || !areAlike) return [];
  const statement = execution.statements.deleteRows(dataclass, isStamped, rowCount(planned));
  return writeDirectly(planned.length, context, execution, async (source) => {
    const rows = await source.run(statement, {
      rows: planned.map(({ key, stamp }) => (stamp === null ? key : [...key, stamp])),
    });
    const deleted = [...affectedKeys(statement, rows, dataclass)].map((id) => {
      const entity = byKey.get(id.toLowerCase());
      if (entity === undefined) throw new NotDirectly();
      return outcomeOf('deleted', entity);
    });
    return deleted.sort(inBodyOrder);
  });
}

/** Deletes entities in transactions that are rolled back. */
function dryRunDelete(
  entities: readonly DeletedEntity[],
  context: WriteContext,
  execution: Execution,
): Promise<readonly Outcome[]> {
  return context.atomic
    ? allOrNone(context, execution, (attempt) => deleteRows(entities, attempt))
    : dryRunOf(entities, context, execution, async (some, refused, attempt) => [
        ...(await deleteRows(some, attempt)),
        ...refused,
      ]);
}

/** An entity to delete, with its row. */
interface Deletion {
  readonly element: Element;
  readonly current: CurrentRow;
  /** The stamp that the client has read; null where it does not say. */
  readonly stamp: string | null;
  /** The version that its statement looks for; null for any. */
  readonly version: readonly (string | null)[] | null;
}

/** Deletes entities, with stamps and without by a statement each; one by one for an INSTEAD OF trigger. What a body holds twice is deleted twice. */
export async function deleteRows(
  entities: readonly DeletedEntity[],
  attempt: Attempt,
): Promise<Outcome[]> {
  const failures: Failed[] = [];
  const read = entities.map((entity) => orRefused<PlannedDelete>(entity));
  const planned = sortOut(read, failures, attempt);
  const columns = [...(attempt.report?.wantedColumns ?? []), ...heldColumns(attempt.dataclass)];
  const outcomes = await writeExisting(
    planned,
    () => columns,
    'delete',
    attempt,
    (found) => deleteEachOnce(found, attempt),
  );
  return [...failures, ...outcomes];
}

async function deleteEachOnce(
  found: readonly WithRow<PlannedDelete>[],
  attempt: Attempt,
): Promise<Outcome[]> {
  const failures: Failed[] = [];
  const planned = found
    .filter(([, row]) => row !== null || attempt.passesOverGone !== true)
    .map(([entity, row]) => planDeletion(entity, row, attempt));
  const deletions = sortOut(planned, failures, attempt);
  const unlocked = sortOut(await refuseLocked(deletions, 'delete', attempt), failures, attempt);
  const isAlone = isInstead(attempt.dataclass, 'delete');
  const batches = await intoBatches(unlocked, (item) => batchId(item, isAlone));
  const outcomes = await writeBatches(batches, 'delete', attempt, (items) =>
    deleteItems(items, attempt),
  );
  return [...failures, ...outcomes];
}

function planDeletion(
  { index, key, stamp }: PlannedDelete,
  current: CurrentRow | null,
  { dataclass, unique }: Attempt,
): OrFailed<Deletion> {
  if (current === null) return failed({ index, key }, noEntity(key, dataclass, unique));
  const element = { index, key: current.key };
  if (!current.isPermitted) return failed(element, notPermitted('delete', key, dataclass));
  return stamp === null || stamp === current.stamp
    ? { element, current, stamp, version: readVersion(stamp, current, dataclass) }
    : failed(element, stampChanged('delete', key, dataclass), true);
}

async function deleteItems(items: readonly Deletion[], attempt: Attempt): Promise<Outcome[]> {
  const { statements, source, dataclass } = attempt;
  const statement = statements.deleteRows(dataclass, items[0]?.version !== null, rowCount(items));
  const rows = await source.run(statement, {
    rows: items.map(({ current, version }) => [...current.key, ...(version ?? [])]),
  });
  const isAlone = isInstead(attempt.dataclass, 'delete');
  const met = isAlone ? new Set<string>() : affectedKeys(statement, rows, dataclass);
  const isMet = ({ current }: Deletion): boolean => met.has(keyId(current.key));
  const deleted = items.filter(isMet).map((item) => deletedOutcome(item, attempt));
  const doubtful = items.filter((item) => !isMet(item));
  const keys = doubtful.map(({ current }) => current.key);
  const present = await currentRows(dataclass.key, keys, [], 'delete', attempt);
  const explained = doubtful.map((item, at) =>
    explain(item, present[at] ?? null, isAlone && rows.length > 0, attempt),
  );
  return [...deleted, ...failFast(explained, attempt)];
}

/** Explains why a row was not returned as deleted: it was gone, has changed, or was kept. `wasMet`: the statement deleted a row that is gone. */
function explain(
  item: Deletion,
  now: CurrentRow | null,
  wasMet: boolean,
  attempt: Attempt,
): Outcome {
  const { element, current, stamp } = item;
  const { dataclass, passesOverGone } = attempt;
  if (now === null) {
    return wasMet || passesOverGone === true
      ? deletedOutcome(item, attempt)
      : failed(element, noEntity(current.key, dataclass));
  }
  return stamp !== null && stamp !== now.stamp
    ? failed(element, stampChanged('delete', current.key, dataclass), true)
    : failed(element, notChanged('delete', current.key, dataclass));
}

function deletedOutcome({ element, current }: Deletion, attempt: Attempt): Outcome {
  const written = reported(attempt, () => deletedRow(current.column));
  return outcomeOf('deleted', element, null, null, written);
}
