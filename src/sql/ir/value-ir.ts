import type {
  ColumnRef,
  Condition,
  Join,
  JsonProperty,
  OrderTerm,
  TableSource,
  Window,
} from './ir.ts';
import type { DatePart } from '../../base/date-parts.ts';
import type { ColumnType } from '../../schema/types.ts';

/** The part of the query IR that reads the values of rows, rather than rows. */

/** A subquery for values: its columns are `c0`, `c1`, …, one for each of {@link values}, as {@link valueColumn} names them. */
export interface ValueRows {
  readonly kind: 'values';
  readonly alias: string;
  readonly values: readonly SelectedValue[];
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

/** What a subquery for values selects. */
export type SelectedValue =
  | ColumnRef
  | JsonProperty
  /** A number as it is answered: null where it is none. */
  | { readonly kind: 'number'; readonly operand: ColumnRef }
  /** The first day of the part of a date; an hour as text, `2026-03-01T14`. In the database's time zone. */
  | { readonly kind: 'datePart'; readonly operand: ColumnRef; readonly part: DatePart }
  /** The greatest multiple of a size that is not greater than the number; a float where that is one. */
  | { readonly kind: 'step'; readonly operand: ColumnRef; readonly size: string }
  /** 1 where a column holds something, else null. */
  | { readonly kind: 'present'; readonly operand: ColumnRef }
  /** 1 in each row. */
  | { readonly kind: 'row' }
  /** Null of a type, in the place of what only other rows have. */
  | { readonly kind: 'nothing'; readonly type: ColumnType };

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
  | {
      readonly function: 'count' | 'sum' | 'min' | 'max';
      readonly of: ColumnRef;
    }
  /** The sum, or 0 of nothing. */
  | { readonly function: 'total'; readonly of: ColumnRef }
  /** As precise as the engine divides: it is compared and ordered, and not answered. */
  | { readonly function: 'average'; readonly of: ColumnRef }
  /** How many values there are that differ, in more than case where that is ignored. */
  | { readonly function: 'distinct'; readonly of: ColumnRef; readonly folded: boolean }
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

/**
 * Groups of rows, by the columns of subqueries that together have the rows. Result: the groups' columns, the aggregates, and the number of groups before
 * they are cut to the window; without a window, that number alone.
 */
export interface GroupsQuery {
  readonly kind: 'groups';
  readonly rows: readonly ValueRows[];
  /** Empty for one group of all. */
  readonly groups: readonly DistinctColumn[];
  readonly aggregates: readonly Aggregate[];
  /** Aggregates, with the types of what they are made of: where one is no number, the page has its groups, and the number of groups is null. */
  readonly doubted: readonly ColumnRef[];
  /** Over {@link groupColumn}s. */
  readonly having: Condition | null;
  readonly orderBy: readonly OrderTerm[];
  readonly window: Window | null;
}

/** The alias of a subquery that computes values, before they are put into the form in which the driver loses nothing. */
export const COMPUTED = 'a';

/** A column of the groups as it is compared and ordered: the groups' own first, then the aggregates. */
export function groupColumn(index: number, type: ColumnType): ColumnRef {
  return valueColumn(COMPUTED, index, type);
}
