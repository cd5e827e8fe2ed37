import type { ColumnRef, Condition, Operand, SelectQuery, Source, TableSource } from './ir.ts';
import type { Table } from '../../schema/types.ts';

/** A column that rows are filtered by, by its physical name. */
export interface FilteredColumn {
  readonly schema: string;
  readonly table: string;
  readonly column: string;
  /** It belongs to another table than the rows: few rows there may lead to many. */
  readonly isRelated: boolean;
}

/** The columns that conditions compare for equality with given values; null where they use values otherwise. */
type Filtered = readonly FilteredColumn[] | null;

/** Tables by their aliases, that of the rows first. */
type Sources = ReadonlyMap<string, TableSource>;

/** The columns that a query's rows are filtered by: each has to equal a value of the request. Null if values are compared otherwise. */
export function filteredColumns(query: Source): Filtered {
  return filteredOf(query, new Map());
}

function filteredOf({ from, joins, where }: Source, outer: Sources): Filtered {
  const tables = [from, ...joins.map(({ table }) => table)];
  const sources = new Map([...outer, ...tables.map((table) => [table.alias, table] as const)]);
  const conditions = [where, ...joins.map((join) => join.where)];
  return together(conditions.map((one) => (one === null ? [] : filteredIn(one, sources))));
}

function filteredIn(condition: Condition, sources: Sources): Filtered {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return together(condition.items.map((item) => filteredIn(item, sources)));
    case 'not':
    case 'isNotTrue':
      return filteredIn(condition.item, sources)?.length === 0 ? [] : null;
    case 'compare': {
      const { operator, left, right } = condition;
      if (!isGiven(left) && !isGiven(right)) return [];
      if (operator !== '=') return null;
      return filteredBy(left, right, sources) ?? filteredBy(right, left, sources);
    }
    case 'isNull':
      return [];
    case 'like':
    case 'in':
    case 'keyIn':
      return null;
    case 'exists':
      return filteredOf(condition, sources);
  }
}

function filteredBy(column: Operand, value: Operand, sources: Sources): Filtered {
  if (column.kind !== 'column' || column.expression !== undefined) return null;
  if (value.kind !== 'parameter' || value.use !== 'value') return null;
  const source = sources.get(column.alias);
  if (source === undefined) return null;
  const [own] = sources.keys();
  const { schema, name: table } = source;
  return [{ schema, table, column: column.name, isRelated: column.alias !== own }];
}

function isGiven(operand: Operand): boolean {
  if (operand.kind === 'folded') return isGiven(operand.operand);
  return operand.kind === 'parameter';
}

function together(all: readonly Filtered[]): Filtered {
  const found: FilteredColumn[] = [];
  for (const one of all) {
    if (one === null) return null;
    found.push(...one);
  }
  return found;
}

/**
 * The columns by which all rows of a table are paged, if they are its primary key, so that its index alone finds a page. Other unique indexes
 * may compare text otherwise than its column does. Null if the rows are filtered, in another order, or not paged.
 */
export function keyOrder(
  { from, joins, where, orderBy, window }: SelectQuery,
  { kind, primaryKey, isInherited }: Pick<Table, 'kind' | 'primaryKey' | 'isInherited'>,
): readonly ColumnRef[] | null {
  if (kind !== 'table' || isInherited === true) return null;
  if (where !== null || (window?.offset ?? null) === null) return null;
  // An inner join leaves rows out.
  if (joins.some(({ type }) => type !== 'left')) return null;
  const columns: ColumnRef[] = [];
  for (const { operand, descending } of orderBy) {
    if (operand.kind !== 'column' || operand.alias !== from.alias || descending) return null;
    if (operand.nullable || operand.expression !== undefined) return null;
    columns.push(operand);
  }
  const isKey =
    columns.length > 0 &&
    columns.length === primaryKey.length &&
    columns.every(({ name }, index) => name === primaryKey[index]);
  return isKey ? columns : null;
}
