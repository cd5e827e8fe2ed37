import type {
  ColumnRef,
  ComparisonOperator,
  Condition,
  Operand,
  OrderTerm,
  SelectQuery,
  Source,
  TableSource,
} from './ir.ts';
import { keepsPlace } from '../../schema/type-rules.ts';
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
    case 'writtenIn':
    case 'changedBefore':
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
  { kind, primaryKey }: Pick<Table, 'kind' | 'primaryKey'>,
): readonly ColumnRef[] | null {
  if (kind !== 'table') return null;
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

/** The terms of an order in one direction. */
export interface IndexedOrder {
  readonly columns: readonly ColumnRef[];
  readonly descending: boolean;
}

/**
 * The order of all rows of a table, if an index finds those behind any row, and no two rows have the same place; otherwise null. An index that is not
 * unique may hold some of the rows, or hold them in no order.
 * @param nullsFirst whether indexes have nulls first, as the order of rows has
 */
export function indexedOrder(
  { from, orderBy }: Pick<SelectQuery, 'from' | 'orderBy'>,
  { kind, primaryKey, indexes }: Table,
  nullsFirst: boolean,
): IndexedOrder | null {
  if (kind !== 'table') return null;
  const columns = orderBy.flatMap(({ operand }) => (isExact(operand, from) ? [operand] : []));
  const names = columns.map(({ name }) => name);
  const [first, ...others] = orderBy;
  const isPlain = columns.length === orderBy.length;
  const isUnique = primaryKey.length > 0 && primaryKey.every((name) => names.includes(name));
  const isOneWay = others.every(({ descending }) => descending === first?.descending);
  const unique = indexes.filter((index) => index.unique).map((index) => index.columns);
  const isIndexed = [primaryKey, ...unique].some((indexed) =>
    names.every((name, place) => name === indexed[place]),
  );
  if (!nullsFirst && columns.some(({ nullable }) => nullable)) return null;
  if (first === undefined || !isPlain || !isUnique || !isOneWay || !isIndexed) return null;
  return { columns, descending: first.descending };
}

function isExact(operand: OrderTerm['operand'], { alias }: TableSource): operand is ColumnRef {
  if (operand.kind !== 'column' || operand.alias !== alias || operand.expression !== undefined) {
    return false;
  }
  // NaN is found as null, and is not.
  const mayBeBoth = operand.type.kind === 'decimal' && operand.nullable;
  return keepsPlace(operand.type) && !mayBeBoth;
}

/**
 * What is behind the last row in an order: conditions, each on a part that an index finds by itself, in the order of the parts. The first one is
 * on the rows with the same values in all columns but one, the next ones are on those with the same values in fewer.
 * @param isNull for each column, whether the last row has null there
 */
export function partsBehind(
  { columns, descending }: IndexedOrder,
  isNull: readonly boolean[],
): readonly Condition[] {
  const parts: Condition[] = [];
  let same: readonly Condition[] = [];
  for (const [term, left] of columns.entries()) {
    const { type, name: meets, nullable } = left;
    const source = { from: 'lastRow', term } as const;
    const right: Operand = { kind: 'parameter', source, type, use: 'value', meets };
    const compared = (operator: ComparisonOperator): Condition => ({
      kind: 'compare',
      operator,
      left,
      right,
    });
    const nullness = (negated: boolean): Condition => ({ kind: 'isNull', operand: left, negated });
    const behind: Condition[] = [];
    // Nulls come first, and last where the order descends.
    if (isNull[term] !== true) {
      behind.push(compared(descending ? '<' : '>'));
      if (descending && nullable) behind.push(nullness(false));
    } else if (!descending) {
      behind.push(nullness(true));
    }
    parts.unshift(...behind.map((part): Condition => ({ kind: 'and', items: [...same, part] })));
    same = [...same, isNull[term] === true ? nullness(false) : compared('=')];
  }
  return parts;
}
