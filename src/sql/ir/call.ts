import type { ColumnType, RoutineColumn } from '../../schema/types.ts';
import type { CountQuery, GlobalStampQuery, KeyedQuery, RelatedQuery, SelectQuery } from './ir.ts';
import type { AggregateQuery, DistinctQuery } from './value-ir.ts';

/** A call of a routine, in physical names. Values of clients are fields of the only row that the statement is given, or bytes. */
export interface CallQuery {
  readonly kind: 'procedure' | 'function';
  readonly schema: string;
  readonly name: string;
  /** In the order of their declaration; those of a procedure that nobody gives and that do not go out are left out. */
  readonly arguments: readonly CallArgument[];
  /**
   * The columns of the rows that a function answers, `[]` for what answers nothing, null where only the answer tells them; of a procedure
   * null.
   */
  readonly columns: readonly RoutineColumn[] | null;
  /** Whether a function answers one value, and no row. */
  readonly isScalar: boolean;
  /** How many rows of a function are asked for at most. */
  readonly most: number;
}

/** A parameter of a routine and what it is given. */
export interface CallArgument {
  readonly name: string;
  /** Whether it is known by its place alone. */
  readonly nameless: boolean;
  /** The parameter's own type. */
  readonly type: ColumnType;
  readonly direction: 'in' | 'out' | 'inout';
  readonly value: CallValue;
}

/** What a parameter is given. */
export type CallValue =
  /** A field of the row, by its place: canonical text of a type. */
  | { readonly kind: 'field'; readonly index: number; readonly type: ColumnType }
  /** The n-th bytes. */
  | { readonly kind: 'bytes'; readonly index: number }
  /** A table whose rows are those of a field: JSON text, `[[part, …], …]`. */
  | {
      readonly kind: 'table';
      readonly index: number;
      readonly table: { readonly schema: string; readonly name: string };
      readonly parts: readonly ColumnType[];
    }
  /** What the routine itself has for it; null where that is nothing. */
  | { readonly kind: 'default' };

/** Everything the database can be asked. */
export type Query =
  | SelectQuery
  | CountQuery
  | RelatedQuery
  | KeyedQuery
  | GlobalStampQuery
  | AggregateQuery
  | DistinctQuery;
