import type { Dataclass } from '../../model/types.ts';
import { lockName } from '../../state/lock/keeper.ts';
import type { ColumnType } from '../../schema/types.ts';
import type { KeyTexts } from '../body/body-key.ts';
import { assignedColumn, cells, type ColumnValue } from '../body/changes.ts';
import { isSameKey } from '../body/entity-key.ts';
import { isBytes, isSameValue } from '../convert/stored-value.ts';
import type { GivenValue, PlannedEntity, RefusedEntity } from '../convert/types.ts';
import type { Attempt, WriteContext } from '../write/attempt.ts';
import { refusable } from './rows/batches.ts';
import type { PrintedSave } from './print-save.ts';
import { sourceOn, type Execution } from '../run.ts';
import type { SavedTree } from './save-trees.ts';

/** An entity that is changed by one statement, with what it is to hold. */
interface Change {
  readonly index: number;
  readonly key: KeyTexts;
  readonly stamp: string;
  readonly columns: readonly ColumnValue[];
}

/** Types whose values the engine tells apart as {@link isSameValue} does, or more loosely. */
const VALUES: ReadonlySet<ColumnType['kind']> = new Set([
  'boolean',
  'integer',
  'decimal',
  'uuid',
  'date',
  'timestamp',
  'time',
  'text',
]);

/**
 * The work of a save that is one statement: of one entity as the client read it, that gives plain columns other values, where nothing else hears of the change or has a say in it. It is
 * found by its key and its stamp, is not locked by others, and holds anything else now; and what it holds then is told.
 * @returns null where that cannot be; otherwise what does it, which comes to null where no such row was met: why not, is found out by reading it first
 */
export function directUpdate(
  printed: PrintedSave,
  entities: readonly (PlannedEntity | RefusedEntity)[],
  context: WriteContext,
  execution: Execution,
): (() => Promise<[SavedTree] | null>) | null {
  const [entity, ...others] = entities;
  if (entity === undefined || others.length > 0 || 'error' in entity) return null;
  if (!printed.isPlain || context.report !== null) return null;
  const change = plainChange(entity, context.dataclass);
  if (change === null) return null;
  const { dataclass, statements } = context;
  const { locks } = execution;
  const name = lockName(dataclass.table, change.key);
  const standing = locks === null ? 'own' : locks.table.standing(name, locks.session);
  if (standing !== 'own' && standing !== 'free') return null;
  const unlocked = standing === 'free' ? execution.database.dialect.locks : null;
  const { columns } = change;
  // Whether text is lost in a column's code page is asked before.
  if (statements.unencodable(columns.map(({ column }) => column)) !== null) return null;
  const own = { query: printed.own.query, statement: printed.own };
  const statement = statements.updateDirectly(columns.map(assignedColumn), own, unlocked !== null);
  if (statement === null) return null;
  const { database, activity } = execution;
  const { signal, observer, principal } = activity;
  const source = sourceOn(database, execution, { signal, observer, principal, batch: true });
  const attempt: Attempt = { source, locks, oneByOne: false, ...context };
  const row = [
    ...change.key,
    change.stamp,
    ...cells(columns),
    ...(unlocked === null ? [] : [unlocked.given(name)]),
  ];
  return async () => {
    const { index, key } = change;
    const element = { index, key };
    const [met] = await refusable([{ element, columns }], 'update', attempt, () =>
      source.run(statement, { rows: [row] }),
    );
    if (met === undefined) return null;
    return [{ index, key, failure: null, row: met, isWritten: true, below: [] }];
  };
}

/** What an entity is given, where the statement can be sure of it; null where it has to be compared with what the row holds. */
function plainChange(entity: PlannedEntity, dataclass: Dataclass): Change | null {
  const { index, key, ownKey, stamp, given, related, nested, denied } = entity;
  if (key === null || stamp === null || denied !== null) return null;
  if (related.length > 0 || nested.length > 0) return null;
  if (ownKey !== null && !isSameKey(ownKey, key, dataclass)) return null;
  const parts = new Map(dataclass.key.map(({ column }, at) => [column.name, key[at] ?? null]));
  const columns = new Map<string, ColumnValue>();
  for (const value of given) {
    const { name } = value.column;
    const part = parts.get(name);
    // Clients send back what they read, the key as well.
    if (part !== undefined && isSameValue(part, value.value, value.type)) continue;
    if (part !== undefined || columns.has(name) || !isPlain(value, dataclass)) return null;
    columns.set(name, value);
  }
  if (columns.size === 0) return null;
  const inOrder = [...columns.values()].sort((a, b) => a.column.position - b.column.position);
  return { index, key, stamp, columns: inOrder };
}

/** Whether a value is an attribute's own, that its column may be given whatever it holds. */
function isPlain(given: GivenValue, { stamp, timestamp }: Dataclass): boolean {
  const { column, type, value, readOnly, dangling, refusal, filled, leading, clearing } = given;
  const isKept = stamp.kind === 'counter' || stamp.kind === 'rowversion' ? stamp.column.name : null;
  return (
    !readOnly &&
    !column.computed &&
    !column.identity &&
    column.name !== isKept &&
    column.name !== timestamp?.name &&
    (dangling ?? refusal ?? filled ?? leading ?? clearing) === undefined &&
    !isBytes(value) &&
    (value !== null || column.nullable) &&
    column.expression === undefined &&
    type.kind === column.type.kind &&
    VALUES.has(type.kind) &&
    !(type.kind === 'text' && type.padded)
  );
}
