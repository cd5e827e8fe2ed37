import type {
  ColumnRef,
  Condition,
  Join,
  JsonProperty,
  OrderTerm,
  TableSource,
  Window,
} from './ir.ts';
import type { ColumnType } from '../../schema/types.ts';

/** The part of the query IR that reads the values of rows, rather than rows. */

/** A subquery for values: its columns are `c0`, `c1`, …, one for each of {@link values}, as {@link valueColumn} names them. */
export interface ValueRows {
  readonly kind: 'values';
  readonly alias: string;
  readonly values: readonly (ColumnRef | JsonProperty)[];
  readonly from: TableSource | ValueRows;
  /** The columns of `from` that equal the parts of keys, which arrive as one parameter; null where rows are not chosen by keys. */
  readonly keyColumns: readonly ColumnRef[] | null;
  readonly joins: readonly Join<TableSource | ValueRows>[];
  readonly where: Condition | null;
  /** Empty where there is no window. */
  readonly orderBy: readonly OrderTerm[];
  readonly window: Window | null;
  /** Rows of the same values count once. */
  readonly distinct?: true;
}

/** A column of a subquery for values. */
export function valueColumn(alias: string, index: number, type: ColumnType): ColumnRef {
  return { kind: 'column', alias, name: `c${index}`, type, nullable: true };
}

/** Something computed of a column of a subquery without its nulls, or the number of rows. */
export type Aggregate = {
  /** The type of the result. */
  readonly type: ColumnType;
} & (
  | { readonly function: 'rows' }
  | { readonly function: 'count' | 'sum' | 'min' | 'max'; readonly of: ColumnRef }
);

/** Something computed of the rows of a subquery that meet a condition. Result: one row, a column for each aggregate. */
export interface AggregateQuery {
  readonly kind: 'aggregate';
  readonly rows: ValueRows;
  readonly where: Condition;
  readonly aggregates: readonly Aggregate[];
}

/** A column whose distinct values are read. */
export interface DistinctColumn {
  readonly column: ColumnRef;
  /** Values that differ only in case are one. */
  readonly folded: boolean;
  /** The type of the result. */
  readonly type: ColumnType;
}

/**
 * The distinct values of a subquery's columns, in rows that meet a condition. Of texts that are equal to the database, or but for their case,
 * the first by code points is the result. Result: the columns, in the order of their values, the last column first.
 */
export interface DistinctQuery {
  readonly kind: 'distinct';
  readonly rows: ValueRows;
  readonly where: Condition;
  readonly columns: readonly DistinctColumn[];
  readonly descending: boolean;
  readonly window: Window;
}
