import { mapInSlices } from '../../../base/time.ts';
import type { Row } from '../../../database/database.ts';
import type { Dataclass } from '../../../model/types.ts';
import { generatedKey, isInstead } from '../../../plan/write/save.ts';
import type { AssignedColumn } from '../../../plan/write/write-queries.ts';
import type { Statement } from '../../../sql/ir/statement.ts';
import { perShape } from '../../convert/entity-values.ts';
import { isSameValue, type StoredValue } from '../../convert/stored-value.ts';
import type { KeyTexts } from '../../convert/types.ts';
import { cellText } from '../../run.ts';
import { type Attempt, Refused } from '../../write/attempt.ts';
import { type Element, type EntityWrite, reported, unfailed } from '../../write/outcome.ts';
import { fail, failing, notCreated } from '../../write/write-errors.ts';
import { newColumns, newRowColumns } from './columns.ts';
import {
  batchId,
  columnValues,
  currentRows,
  inputsOf,
  intoBatches,
  rowCount,
  writeBatches,
} from './current-rows.ts';
import { refuseRestricted } from './references.ts';
import type { OwnRows } from './write-statements.ts';

/** What identifies the batch of the new rows of a shape; null for rows that go in one by one. @throws as {@link newColumns} */
const batchOf = perShape((shape): string | null => {
  const columns = newRowColumns(shape);
  const isSingle =
    isInsertedAlone(columns, shape.dataclass) || columns.some(({ from }) => from === 'bytes');
  return isSingle ? null : batchId({ ...NEW_ROW, columns }, false);
});

const NEW_ROW: Element = { index: 0, key: null };

/**
 * Inserts new entities, by one statement for each set of columns, or for each entity where it has to go in alone.
 * @param answer reads the rows by the same statement, where there is only one; null where later ones may change them
 */
export async function createRows(
  items: readonly EntityWrite[],
  answer: OwnRows | null,
  attempt: Attempt,
): Promise<void> {
  const { dataclass } = attempt;
  await mapInSlices(items, (item) => {
    failing(item, 'create', attempt, () => {
      const { columns, cells } = newColumns(item.given);
      item.columns = columns;
      item.cells = cells;
    });
  });
  await refuseRestricted(unfailed(items), 'create', attempt);
  const allowed = unfailed(items);
  const batches = await intoBatches(
    allowed,
    (item) => batchOf(item.given.shape) ?? batchId(item, isInsertedAlone(item.columns, dataclass)),
  );
  await writeBatches(batches, 'create', attempt, (some) =>
    insertRows(some, some.length === allowed.length ? answer : null, attempt),
  );
}

/** Whether new rows go in one by one: where a trigger takes or drops rows, for rows of defaults, and where no identity tells generated keys apart. */
function isInsertedAlone(columns: readonly AssignedColumn[], dataclass: Dataclass): boolean {
  const generated = generatedKey(columns, dataclass);
  return (
    columns.length === 0 ||
    isInstead(dataclass, 'insert') ||
    dataclass.table.beforeInsert === true ||
    generated.some(({ identity }) => !identity || generated.length > 1)
  );
}

async function insertRows(
  items: readonly EntityWrite[],
  answer: OwnRows | null,
  attempt: Attempt,
): Promise<void> {
  const { statements, source, dataclass } = attempt;
  const columns = items[0]?.columns ?? [];
  const read = answer !== null && isAnsweredAtOnce(columns, dataclass) ? answer : null;
  const statement = statements.insert(dataclass, columns, rowCount(items), read);
  const rows = await source.run(statement, inputsOf(items));
  const hasGeneratedKey = generatedKey(columns, dataclass).length > 0;
  // Nothing tells which rows are missing: each has to go in alone.
  if (hasGeneratedKey && items.length > 1 && rows.length < items.length) {
    throw new Refused(notCreated(dataclass));
  }
  const keyOf = keyReader(columns, read?.own.readers.length ?? 0, statement, dataclass);
  const isRead = read !== null && rows.length === items.length;
  const isGuess = hasGeneratedKey && isInstead(dataclass, 'insert') && source.dialect.guessesKeys;
  for (const [at, item] of items.entries()) {
    const row = rows[at];
    if (hasGeneratedKey && row === undefined) {
      fail(item, notCreated(dataclass), attempt);
      continue;
    }
    const key = keyOf(item.cells, row);
    item.kind = 'created';
    if (key !== null && (!isGuess || (await isConfirmed(key, item, attempt)))) item.key = key;
    if (isRead && row !== undefined && Number(row[0]) === 0) item.row = row;
    item.written = reported(attempt, () => {
      const changed = new Set(item.columns.map(({ column }) => column.name));
      return { action: 'create', given: columnValues(item), changed, before: null };
    });
  }
}

/** Whether the row with a key may be the new one: it holds what was sent. Otherwise the key is another row's, or a trigger has changed the values. */
async function isConfirmed(key: KeyTexts, item: EntityWrite, attempt: Attempt): Promise<boolean> {
  const sent = columnValues(item).filter(({ value }) => typeof value === 'string');
  const sentColumns = sent.map(({ column }) => column);
  const { key: attributes } = attempt.dataclass;
  const [row] = await currentRows(attributes, [key], sentColumns, 'update', attempt);
  // A row that is missing is noticed when all are read again.
  if (row === undefined || row === null) return true;
  return (
    sent.length > 0 &&
    sent.every(({ column, type, value }) => isSameValue(row.column(column.name), value, type))
  );
}

/** Whether the statement that inserts rows can read them: it finds them by keys that are given or that it returns, and nothing stands in for it. */
function isAnsweredAtOnce(columns: readonly AssignedColumn[], dataclass: Dataclass): boolean {
  const { table, key, stamp } = dataclass;
  // PostgreSQL does not return xmin of rows that go into partitions.
  const isReturned = stamp.kind !== 'xmin' || table.updatesMore !== true;
  return (
    isReturned &&
    key.length > 0 &&
    table.kind === 'table' &&
    table.beforeInsert !== true &&
    !isInstead(dataclass, 'insert') &&
    !columns.some(({ from }) => from === 'bytes')
  );
}

/** Finds the key of a new row, from the values that it was given and those that the statement returns; null where it is not known. */
type KeyOfRow = (cells: readonly StoredValue[], row: Row | undefined) => KeyTexts | null;

/** @param columns those of all rows @param keyAt the index of the first part in what the statement returns */
function keyReader(
  columns: readonly AssignedColumn[],
  keyAt: number,
  statement: Statement,
  dataclass: Dataclass,
): KeyOfRow {
  const generated = generatedKey(columns, dataclass);
  const givenAt = dataclass.key.map(({ column }) =>
    generated.includes(column)
      ? -1
      : columns.findIndex((candidate) => candidate.column.name === column.name),
  );
  return (cells, row) => {
    const key: string[] = [];
    for (const [part, at] of givenAt.entries()) {
      const value = cells[at];
      const text =
        typeof value === 'string' || row === undefined
          ? value
          : cellText(statement, row, keyAt + part);
      if (typeof text !== 'string') return null;
      key.push(text);
    }
    return key.length > 0 ? key : null;
  };
}
