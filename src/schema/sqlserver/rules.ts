import type { CatalogRows, Row } from './rows.ts';
import { listedValues } from '../check-values.ts';
import type { Check, Column, Table } from '../types.ts';

/** The changes of tables and views that OUTPUT does not report, by the ids of those. */
export type Changes = ReadonlyMap<number, NonNullable<Table['instead']>>;

const CHANGES = new Map<number, 'insert' | 'update' | 'delete'>([
  [1, 'insert'],
  [2, 'update'],
  [3, 'delete'],
]);

/** The columns of a table that its checks may name. */
interface CheckedTable {
  readonly columns: readonly Column[];
  readonly names: ReadonlyMap<number, string>;
}

/** Reads a check, with the column that it belongs to and those that its definition names. */
export function readCheck(
  [, columnId, name, definition]: Row<'checks'>,
  { columns, names }: CheckedTable,
  ignoreCase: boolean,
): Check {
  const own = names.get(columnId);
  const fold = (text: string): string => (ignoreCase ? text.toLowerCase() : text);
  const named = new Set(namesIn(definition ?? '').map(fold));
  const used = columns
    .map((column) => column.name)
    .filter((column) => column === own || named.has(fold(column)));
  const [column, ...others] = used;
  const isOfOne = column !== undefined && others.length === 0;
  // The server keeps the values of IN from the last to the first.
  const values = isOfOne ? listedValues(definition ?? '', column)?.toReversed() : undefined;
  return { name, columns: used, ...(values === undefined ? {} : { values }) };
}

/**
 * Reads the changes that OUTPUT does not report: those that triggers stand in for, all of a partitioned view, which is a union, and those of rows
 * whose key may come from a subquery (4186: https://learn.microsoft.com/sql/t-sql/queries/output-clause-transact-sql).
 */
export function readInstead({ triggers, triggerEvents, compound }: CatalogRows): Changes {
  const tables = new Map(
    triggers.filter(([, , isInstead]) => isInstead === 1).map(([id, table]) => [id, table]),
  );
  const found = new Map<number, Set<number>>();
  const add = (table: number, type: number): void => {
    found.set(table, (found.get(table) ?? new Set()).add(type));
  };
  for (const [triggerId, type] of triggerEvents) {
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

/** The ids of the tables with triggers on updates, enabled or not. */
export function updatingMore({ triggers, triggerEvents }: CatalogRows): ReadonlySet<number> {
  const updating = new Set(
    triggerEvents.flatMap(([id, type]) => (CHANGES.get(type) === 'update' ? [id] : [])),
  );
  return new Set(triggers.flatMap(([id, table]) => (updating.has(id) ? [table] : [])));
}

/** The names in an expression. SQL Server brackets those of columns: `([QTY]>(0))`; where there are none, any word may be one. */
function namesIn(definition: string): string[] {
  const tokens = [...definition.matchAll(TOKENS)].map(({ groups }) => groups ?? {});
  const bracketed = tokens.flatMap(({ bracketed: name }) => name?.replaceAll(']]', ']') ?? []);
  if (bracketed.length > 0) return bracketed;
  return tokens.flatMap(({ quoted, word }) => quoted?.replaceAll('""', '"') ?? word ?? []);
}

/** Texts, in which no names are; names in brackets, in double quotes, and bare ones. */
const TOKENS =
  /'(?:[^']|'')*'|\[(?<bracketed>(?:[^\]]|\]\])+)\]|"(?<quoted>(?:[^"]|"")+)"|(?<word>[\p{L}_@#][\p{L}\p{N}_@#$]*)/gu;
