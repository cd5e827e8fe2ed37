import { noEntity } from '../body/body-key.ts';
import type { PlannedDelete, RefusedEntity } from '../convert/types.ts';
import type { Attempt } from '../write/attempt.ts';
import { batchId, intoBatches, refusable, rowCount, writeBatches } from '../save/rows/batches.ts';
import { MOST_TIMES } from '../convert/held-too-often.ts';
import { eachRowOnce, tooOften, type WithRow } from '../save/rows/repetitions.ts';
import {
  addressedRows,
  type CurrentRow,
  currentRows,
  keyId,
  readVersion,
} from '../save/rows/current-rows.ts';
import { affectedKeys } from '../save/rows/affected-keys.ts';
import {
  type Element,
  failed,
  isFailed,
  type Outcome,
  ready,
  type Step,
} from '../write/outcome.ts';
import { refuseLocked } from '../write/refuse-locked.ts';
import { heldColumns } from '../../plan/write/write-queries.ts';
import { failFast, notChanged, notPermitted, stampChanged } from '../write/write-errors.ts';
import { deletedRow, reported } from '../write/report-written.ts';

interface Deletion {
  readonly element: Element;
  readonly current: CurrentRow;
  /** The stamp that the client has read; null where it does not say. */
  readonly stamp: string | null;
  /** The version that its statement looks for; null for any. */
  readonly version: readonly (string | null)[] | null;
}

/**
 * Deletes entities: their rows are read, all by one statement, and deleted, by one for those with stamps and one for those without, or
 * one by one where a trigger stands in for the delete. An entity that a body holds
 * twice is deleted twice, one after the other: it may be there still.
 */
export async function deleteRows(
  entities: readonly (PlannedDelete | RefusedEntity)[],
  attempt: Attempt,
): Promise<Outcome[]> {
  const steps = failFast(
    entities.map((entity) => ('error' in entity ? failed(entity, entity.error) : entity)),
    attempt,
  );
  const columns = [...(attempt.report?.wantedColumns ?? []), ...heldColumns(attempt.dataclass)];
  const outcomes: Outcome[] = steps.filter(isFailed);
  let waiting: readonly PlannedDelete[] = ready(steps);
  for (let times = 0; waiting.length > 0; times += 1) {
    if (times === MOST_TIMES) return [...outcomes, ...tooOften(waiting, attempt)];
    const sought = waiting.map((element) => ({ element }));
    const keys = waiting.map(({ key }) => key);
    const rows = await refusable(sought, 'delete', attempt, () =>
      addressedRows(keys, columns, 'delete', attempt),
    );
    const { first, again } = eachRowOnce(waiting, rows);
    const found = first.filter(([, row]) => row !== null || attempt.passesOverGone !== true);
    outcomes.push(...(await deleteEachOnce(found, attempt)));
    waiting = again;
  }
  return outcomes;
}

async function deleteEachOnce(
  found: readonly WithRow<PlannedDelete>[],
  attempt: Attempt,
): Promise<Outcome[]> {
  const steps = failFast(
    found.map(([entity, row]) => planDeletion(entity, row, attempt)),
    attempt,
  );
  const unlocked = failFast(await refuseLocked(ready(steps), 'delete', attempt), attempt);
  const isAlone = isDeletedAlone(attempt);
  const batches = await intoBatches(ready(unlocked), (item) => batchId(item, isAlone));
  const outcomes = await writeBatches(batches, 'delete', attempt, (items) =>
    deleteItems(items, attempt),
  );
  return [...[...steps, ...unlocked].filter(isFailed), ...outcomes];
}

function planDeletion(
  { index, key, stamp }: PlannedDelete,
  current: CurrentRow | null,
  { dataclass, unique }: Attempt,
): Step<Deletion> {
  if (current === null) return failed({ index, key }, noEntity(key, dataclass, unique));
  const element = { index, key: current.key };
  if (!current.isPermitted) return failed(element, notPermitted('delete', key, dataclass));
  return stamp === null || stamp === current.stamp
    ? { element, current, stamp, version: readVersion(stamp, current, dataclass) }
    : failed(element, stampChanged('delete', key, dataclass), true);
}

/** Whether each entity takes a statement of its own: a trigger that stands in for it takes one row, and nothing says what it does to it. */
export function isDeletedAlone({ dataclass }: Pick<Attempt, 'dataclass'>): boolean {
  return dataclass.table.instead?.includes('delete') ?? false;
}

async function deleteItems(items: readonly Deletion[], attempt: Attempt): Promise<Outcome[]> {
  const { statements, source, dataclass } = attempt;
  const statement = statements.deleteRows(items[0]?.version !== null, rowCount(items));
  const rows = await source.run(statement, {
    rows: items.map(({ current, version }) => [...current.key, ...(version ?? [])]),
  });
  const isAlone = isDeletedAlone(attempt);
  const met = isAlone ? new Set<string>() : affectedKeys(statement, rows, dataclass);
  const isMet = ({ current }: Deletion): boolean => met.has(keyId(current.key));
  const deleted = items
    .filter(isMet)
    .map(({ element, current }) => deletedOutcome(element, current, attempt));
  const doubtful = items.filter((item) => !isMet(item));
  const present = await currentRows(
    dataclass.key,
    doubtful.map(({ current }) => current.key),
    [],
    'delete',
    attempt,
  );
  const explained = doubtful.map((item, at) =>
    explain(item, present[at] ?? null, isAlone && rows.length > 0, attempt),
  );
  return [...deleted, ...failFast(explained, attempt)];
}

/**
 * Why a row that was there was not told of as deleted: gone by now, changed by somebody else, or kept.
 * @param wasMet whether one that is gone is so by the statement
 */
function explain(
  { element, current, stamp }: Deletion,
  now: CurrentRow | null,
  wasMet: boolean,
  attempt: Attempt,
): Outcome {
  const { dataclass, passesOverGone } = attempt;
  if (now === null) {
    return wasMet || passesOverGone === true
      ? deletedOutcome(element, current, attempt)
      : failed(element, noEntity(current.key, dataclass));
  }
  return stamp !== null && stamp !== now.stamp
    ? failed(element, stampChanged('delete', current.key, dataclass), true)
    : failed(element, notChanged('delete', current.key, dataclass));
}

function deletedOutcome(element: Element, current: CurrentRow, attempt: Attempt): Outcome {
  const written = reported(attempt, () => deletedRow(current.column));
  return { kind: 'deleted', ...element, ...written };
}
