import type { Check, Column, Table } from '../types.ts';

/** A row of sys.check_constraints. */
export type CheckRow = readonly [
  objectId: number,
  /** 0 for a check of the table. */
  columnId: number,
  name: string,
  /** Null where the login may not see it. */
  definition: string | null,
];

/** A row of sys.triggers, with whether it stands in for a change. */
export type TriggerRow = readonly [id: number, objectId: number, isInstead: number];

/**
 * A row of sys.trigger_events:
 * https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-trigger-events-transact-sql
 */
export type TriggerEventRow = readonly [triggerId: number, type: number];

/** A row of sys.sql_modules, of one with more than one SELECT: the id of a view, or of a program, and whether it is a union. */
export type CompoundRow = readonly [objectId: number, isUnion: number];

const CHANGES = new Map<number, 'insert' | 'update' | 'delete'>([
  [1, 'insert'],
  [2, 'update'],
  [3, 'delete'],
]);

/** The columns of a table that its checks may name. */
interface CheckedTable {
  readonly columns: readonly Column[];
  readonly columnNames: ReadonlyMap<number, string>;
}

/** A check, and the columns of its table that it belongs to or that its definition names. */
export function readCheck(
  [, columnId, name, definition]: CheckRow,
  { columns, columnNames }: CheckedTable,
  ignoreCase: boolean,
): Check {
  const own = columnNames.get(columnId);
  const fold = (text: string): string => (ignoreCase ? text.toLowerCase() : text);
  const named = new Set(namesIn(definition ?? '').map(fold));
  return {
    name,
    columns: columns
      .map((column) => column.name)
      .filter((column) => column === own || named.has(fold(column))),
  };
}

/**
 * The changes that OUTPUT cannot tell of, by the id of their table or view: those that triggers stand in for, all of a partitioned
 * view, which is a union, and those of rows whose key may come from a subquery (error 4186).
 * https://learn.microsoft.com/sql/t-sql/queries/output-clause-transact-sql
 */
export function readInstead(
  triggers: readonly TriggerRow[],
  events: readonly TriggerEventRow[],
  compound: readonly CompoundRow[],
): ReadonlyMap<number, NonNullable<Table['instead']>> {
  const tables = new Map(
    triggers.filter(([, , isInstead]) => isInstead === 1).map(([id, table]) => [id, table]),
  );
  const found = new Map<number, Set<number>>();
  const add = (table: number, type: number): void => {
    found.set(table, (found.get(table) ?? new Set()).add(type));
  };
  for (const [triggerId, type] of events) {
    const table = tables.get(triggerId);
    if (table !== undefined) add(table, type);
  }
  for (const [view, isUnion] of compound) {
    for (const [type, change] of CHANGES) {
      if (change !== 'insert' || isUnion === 1) add(view, type);
    }
  }
  return new Map(
    Array.from(found, ([table, types]) => [
      table,
      [...CHANGES].filter(([type]) => types.has(type)).map(([, change]) => change),
    ]),
  );
}

/** The ids of the tables with triggers that hear of updates, enabled or not. */
export function updatingMore(
  triggers: readonly TriggerRow[],
  events: readonly TriggerEventRow[],
): ReadonlySet<number> {
  const updating = new Set(
    events.flatMap(([id, type]) => (CHANGES.get(type) === 'update' ? [id] : [])),
  );
  return new Set(triggers.flatMap(([id, table]) => (updating.has(id) ? [table] : [])));
}

/**
 * The names in an expression. SQL Server writes those of columns in brackets: `([QTY]>(0))`; where there are none, any
 * word may be one.
 */
function namesIn(definition: string): string[] {
  const tokens = [...definition.matchAll(TOKENS)].map(({ groups }) => groups ?? {});
  const bracketed = tokens.flatMap(({ bracketed: name }) => name?.replaceAll(']]', ']') ?? []);
  if (bracketed.length > 0) return bracketed;
  return tokens.flatMap(({ quoted, word }) => quoted?.replaceAll('""', '"') ?? word ?? []);
}

/** Texts, in which no names are; names in brackets, in double quotes, and bare ones. */
const TOKENS =
  /'(?:[^']|'')*'|\[(?<bracketed>(?:[^\]]|\]\])+)\]|"(?<quoted>(?:[^"]|"")+)"|(?<word>[\p{L}_@#][\p{L}\p{N}_@#$]*)/gu;
