import { mapInSlices } from '../../../base/time-slice.ts';
import type { Row } from '../../../database/database.ts';
import type { Dataclass } from '../../../model/types.ts';
import { generatedKey } from '../../../plan/write/save.ts';
import type { Statement } from '../../../sql/dialect.ts';
import type { KeyTexts } from '../../body/body-key.ts';
import {
  assignedColumn,
  bytesOf,
  cells,
  type ColumnValue,
  newColumns,
} from '../../body/changes.ts';
import { isSameValue } from '../../convert/stored-value.ts';
import type { PlannedEntity } from '../../convert/types.ts';
import { type Attempt, Refused } from '../../write/attempt.ts';
import { batchId, intoBatches, rowCount, writeBatches } from './batches.ts';
import { currentRows } from './current-rows.ts';
import {
  type Element,
  failed,
  isFailed,
  type Outcome,
  ready,
  type Step,
} from '../../write/outcome.ts';
import { cellText } from '../../run.ts';
import { refuseRestricted } from '../nested/restricted-references.ts';
import { failAtOnce, failFast, notCreated, orFailed } from '../../write/write-errors.ts';
import { reported, type Written } from '../../write/report-written.ts';

/** A new entity with the columns of its row. */
interface Creation {
  readonly element: Element;
  readonly columns: readonly ColumnValue[];
}

/** Puts new entities in, by one statement for each set of columns, or for each entity where it has to go in alone. */
export async function createRows(
  entities: readonly PlannedEntity[],
  attempt: Attempt,
): Promise<Outcome[]> {
  const { dataclass } = attempt;
  const steps = await mapInSlices(entities, (entity): Step<Creation> => {
    const step = orFailed(entity, 'create', dataclass, () => ({
      element: { index: entity.index, key: null },
      columns: newColumns(entity.given, dataclass),
    }));
    return failAtOnce(step, attempt);
  });
  const allowed = await refuseRestricted(ready(steps), 'create', attempt);
  const creations = ready(failFast(allowed, attempt));
  const batches = await intoBatches(creations, (item) =>
    batchId(item, isInsertedAlone(item.columns, dataclass)),
  );
  const outcomes = await writeBatches(batches, 'create', attempt, (items) =>
    insertRows(items, attempt),
  );
  return [...steps.filter(isFailed), ...allowed.filter(isFailed), ...outcomes];
}

/**
 * Whether new rows have to go in one by one: a trigger that stands in for the statement takes one, one that comes before it may
 * drop some, a row of defaults alone is one, and of keys that only the database knows identities alone tell which row is
 * which.
 */
function isInsertedAlone(columns: readonly ColumnValue[], dataclass: Dataclass): boolean {
  const generated = generatedKey(columns, dataclass);
  return (
    columns.length === 0 ||
    isInstead(dataclass) ||
    dataclass.table.beforeInsert === true ||
    generated.some(({ identity }) => !identity || generated.length > 1)
  );
}

function isInstead({ table }: Dataclass): boolean {
  return table.instead?.includes('insert') ?? false;
}

async function insertRows(
  items: readonly Creation[],
  attempt: Attempt,
): Promise<readonly Outcome[]> {
  const { statements, source, dataclass } = attempt;
  const columns = items[0]?.columns ?? [];
  const statement = statements.insert(columns.map(assignedColumn), rowCount(items));
  const rows = await source.run(statement, {
    rows: items.map((item) => cells(item.columns)),
    bytes: bytesOf(columns),
  });
  const hasGeneratedKey = generatedKey(columns, dataclass).length > 0;
  // Rows that are missing cannot be told from those that are there: each has to go in alone.
  if (hasGeneratedKey && items.length > 1 && rows.length < items.length) {
    throw new Refused(notCreated(dataclass));
  }
  const isGuess = hasGeneratedKey && isInstead(dataclass) && source.dialect.guessesKeys;
  const outcomes: Outcome[] = [];
  for (const [at, { element, columns: own }] of items.entries()) {
    const row = rows[at];
    if (hasGeneratedKey && row === undefined) {
      outcomes.push(failed(element, notCreated(dataclass)));
      continue;
    }
    const key = keyOf(own, row, statement, dataclass);
    const isKnown = key !== null && (!isGuess || (await isConfirmed(key, own, attempt)));
    const written = reported(attempt, () => createdRow(own));
    outcomes.push({ kind: 'created', ...element, key: isKnown ? key : null, ...written });
  }
  return failFast(outcomes, attempt);
}

/**
 * Whether the row with a key may be the new one: it holds what was sent. Where it does not, the key is that of another row, or a
 * trigger has changed the values, and nobody knows which.
 */
async function isConfirmed(
  key: KeyTexts,
  columns: readonly ColumnValue[],
  attempt: Attempt,
): Promise<boolean> {
  const sent = columns.filter(({ value }) => typeof value === 'string');
  const [row] = await currentRows(
    attempt.dataclass.key,
    [key],
    sent.map(({ column }) => column),
    'update',
    attempt,
  );
  // What became of a row that is not there is looked at when all are read again.
  if (row === undefined || row === null) return true;
  return (
    sent.length > 0 &&
    sent.every(({ column, type, value }) => isSameValue(row.column(column.name), value, type))
  );
}

/** The key of a new row, from what it was given and what the statement tells of it; null where nobody knows it. */
function keyOf(
  columns: readonly ColumnValue[],
  row: Row | undefined,
  statement: Statement,
  dataclass: Dataclass,
): KeyTexts | null {
  const generated = generatedKey(columns, dataclass);
  const key = dataclass.key.map(({ column }, part) => {
    const given = columns.find((candidate) => candidate.column.name === column.name)?.value;
    if (typeof given === 'string' && !generated.includes(column)) return given;
    return row === undefined ? null : cellText(statement, row, part);
  });
  return key.length > 0 && key.every((part) => part !== null) ? key : null;
}

function createdRow(given: readonly ColumnValue[]): Written {
  const changed = new Set(given.map(({ column }) => column.name));
  return { action: 'create', given, changed, before: null };
}
