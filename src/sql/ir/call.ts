import type { ColumnType, RoutineColumn } from '../../schema/types.ts';
import type {
  CountQuery,
  GlobalStampQuery,
  KeyedQuery,
  RelatedQuery,
  SelectQuery,
  VersionBoundQuery,
} from './ir.ts';
import type { AggregateQuery, DistinctQuery } from './value-ir.ts';

/** A call of a routine, in physical names. A client's values are fields of the statement's only row, or bytes. */
export interface CallQuery {
  readonly kind: 'procedure' | 'function';
  readonly schema: string;
  readonly name: string;
  /** In the order of their declaration, without the inputs of a procedure that have no value. */
  readonly arguments: readonly CallArgument[];
  /** The columns of a function's rows, `[]` for a function without a result; null where only the answer tells them, and of a procedure. */
  readonly columns: readonly RoutineColumn[] | null;
  /** A function returns one value, and no row. */
  readonly isScalar: boolean;
  /** The most rows of a function that are read. */
  readonly most: number;
}

export interface CallArgument {
  readonly name: string;
  /** It is passed by its position, because it has no name. */
  readonly nameless: boolean;
  /** The parameter's own type. */
  readonly type: ColumnType;
  readonly direction: 'in' | 'out' | 'inout';
  readonly value: CallValue;
}

export type CallValue =
  /** A field of the row, by its index: canonical text of a type. */
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
  /** The routine's own default; null where it has none. */
  | { readonly kind: 'default' };

export type Query =
  | SelectQuery
  | CountQuery
  | RelatedQuery
  | KeyedQuery
  | GlobalStampQuery
  | VersionBoundQuery
  | AggregateQuery
  | DistinctQuery;
