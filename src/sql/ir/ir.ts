import type { ColumnType, Expression } from '../../schema/types.ts';

/**
 * The query IR: statements as data, in physical names and without a dialect. The planner builds it, the printers of sql/ turn it into text.
 * It never contains a client's value: values are {@link Parameter}s, filled in when a plan is bound.
 */

/** A table or view under an alias that is unique in its statement. */
export interface TableSource {
  readonly schema: string;
  readonly name: string;
  readonly alias: string;
  /** Without the rows of tables that inherit from it (PostgreSQL). */
  readonly only?: true;
  /** Its rows are the changed ones since a version, with their keys: change tracking of SQL Server. Left out for the table itself. */
  readonly changedSince?: Parameter;
}

/** A column of an aliased source. */
export interface ColumnRef {
  readonly kind: 'column';
  readonly alias: string;
  readonly name: string;
  readonly type: ColumnType;
  readonly nullable: boolean;
  /** Computed instead of a column, over columns of the same source; left out for a real column. */
  readonly expression?: Expression;
  /** The attribute that the expression computes, `Employee.yearly`, for messages; left out where it is not the request that names it. */
  readonly computes?: string;
  /** Must hold for the expression to be computed: an engine may compute it for rows that the user may not see, and an error would tell of them. */
  readonly guard?: Condition;
}

/**
 * Where a parameter's value comes from: the request, by the index of the value; the model, for all requests; a claim of the user; the last row that
 * was read, by the term of its order; the period whose changes are read.
 */
export type ValueSource =
  | { readonly from: 'request'; readonly parameter: number }
  | { readonly from: 'model'; readonly value: string | readonly string[] }
  | { readonly from: 'claim'; readonly name: string }
  | { readonly from: 'lastRow'; readonly term: number }
  | { readonly from: 'period'; readonly end: keyof Period };

/** What changes are read: from `since` on, and before `until`, in the versions of rows that the engine gives. */
export interface Period {
  readonly since: string;
  readonly until: string;
  /** The version before `since`, for engines that ask for what comes behind one. */
  readonly before: string;
}

/** A value that a statement is given when it runs, bound as the type of the column that it is compared with. */
export interface Parameter {
  readonly kind: 'parameter';
  readonly source: ValueSource;
  readonly type: ColumnType;
  readonly use: ParameterUse;
  /** Which of the type's values stands for one between two of them. */
  readonly round?: 'down' | 'up';
  /** The most values of a list; left out where it may be long. */
  readonly size?: number;
  /** The attribute that the value is compared with, and its dataclass, for messages. */
  readonly meets: string;
}

/**
 * How a value is converted. `value`: as it is. `wildcard`: to a LIKE pattern in which `@`, and a `*` at the end, stand for any text.
 * `begins`, `contains`: to a LIKE pattern for literal text. `list`: many values in one parameter. `count`: a non-negative integer.
 */
export type ParameterUse = 'value' | 'wildcard' | 'begins' | 'contains' | 'list' | 'count';

/**
 * Keys of several parts that come with each request, as one parameter: JSON rows `[[ordinal, part, …], …]`. `parameters` has for each key the
 * indexes of its parts among the request's values; `types` and `meets` are those of the parts.
 */
export interface KeysParameter {
  readonly kind: 'keys';
  readonly parameters: readonly (readonly number[])[];
  readonly types: readonly ColumnType[];
  readonly meets: readonly string[];
}

/**
 * A property inside a JSON column as the type it is compared as; null if it is of another type. `text` is any value but an object or array,
 * `string` a JSON string only, `any` everything but JSON's null.
 */
export interface JsonProperty {
  readonly kind: 'jsonProperty';
  readonly column: ColumnRef;
  readonly path: readonly string[];
  readonly as: 'text' | 'number' | 'boolean' | 'string' | 'any';
}

/** Text folded to one case, by the engine, on both sides of a comparison. */
export interface Folded {
  readonly kind: 'folded';
  readonly operand: ColumnRef | JsonProperty | Parameter;
}

export type Operand = ColumnRef | JsonProperty | Parameter | Folded | { readonly kind: 'true' };

export type ComparisonOperator = '=' | '<>' | '<' | '<=' | '>' | '>=';

export interface Comparison {
  readonly kind: 'compare';
  readonly operator: ComparisonOperator;
  readonly left: Operand;
  readonly right: Operand;
}

/** Text that matches a LIKE pattern, or does not. */
export interface Likeness {
  readonly kind: 'like';
  readonly negated: boolean;
  readonly left: Operand;
  readonly right: Operand;
}

/** A search condition, with SQL's three-valued logic. */
export type Condition =
  | { readonly kind: 'and' | 'or'; readonly items: readonly Condition[] }
  | { readonly kind: 'not'; readonly item: Condition }
  /** True where the item is false or unknown. */
  | { readonly kind: 'isNotTrue'; readonly item: Condition }
  | Comparison
  | Likeness
  | { readonly kind: 'in'; readonly left: Operand; readonly right: Parameter }
  /** Whether the columns hold one of the keys. */
  | {
      readonly kind: 'keyIn';
      readonly columns: readonly ColumnRef[];
      readonly keys: KeysParameter;
    }
  | { readonly kind: 'isNull'; readonly negated: boolean; readonly operand: Operand }
  /** Whether the transaction that wrote a row is of a period (PostgreSQL). */
  | {
      readonly kind: 'writtenIn';
      readonly alias: string;
      readonly since: Parameter;
      readonly until: Parameter;
    }
  /** Whether a change of a source that has them was made before a version; and whether it is a deletion, or any. */
  | {
      readonly kind: 'changedBefore';
      readonly alias: string;
      readonly until: Parameter;
      readonly isDeletion: boolean;
    }
  | ({ readonly kind: 'exists' } & Source);

/** A join on equal columns: `[left, right]`, the right ones belonging to the joined table. */
export interface Join<Joined = TableSource> {
  readonly type: 'left' | 'inner';
  readonly table: Joined;
  readonly on: readonly (readonly [ColumnRef, ColumnRef])[];
  /** A further condition on the joined table. */
  readonly where: Condition | null;
}

/** Rows of one table, with what to-one joins add. */
export interface Source {
  readonly from: TableSource;
  readonly joins: readonly Join[];
  readonly where: Condition | null;
}

/** Where the engine keeps the version stamp of a row. */
export type StampSource =
  | { readonly kind: 'column'; readonly column: ColumnRef }
  | { readonly kind: 'rowversion'; readonly column: ColumnRef }
  | { readonly kind: 'xmin'; readonly alias: string };

/** One column of a result. */
export type Output =
  | { readonly kind: 'value'; readonly operand: ColumnRef }
  /** Whether a column is not null. */
  | { readonly kind: 'presence'; readonly operand: ColumnRef }
  /** How many bytes a column of bytes holds. */
  | { readonly kind: 'byteLength'; readonly operand: ColumnRef }
  /** A part of a column of bytes: the statement's parameters say which. */
  | { readonly kind: 'slice'; readonly operand: ColumnRef }
  /** A digest of a column of bytes, as hexadecimal digits. */
  | { readonly kind: 'digest'; readonly operand: ColumnRef }
  /** Whether a row meets a condition; false where that is unknown. */
  | { readonly kind: 'meets'; readonly condition: Condition }
  | { readonly kind: 'stamp'; readonly source: StampSource; readonly bits: 53 | 31 }
  /** The server-wide modification stamp: the same in every row. */
  | { readonly kind: 'globalStamp' };

/** A term of an order; nulls come first when ascending and last when descending, on every engine. */
export interface OrderTerm {
  readonly operand: ColumnRef | JsonProperty;
  readonly descending: boolean;
  /** Only makes pages of rows without a key deterministic, as far as the engine can sort. */
  readonly tieBreak?: true;
}

/** A window of rows, `limit` null for all from `offset` on. */
export interface Window {
  readonly offset: Parameter | null;
  readonly limit: Parameter;
}

export interface SelectQuery extends Source {
  readonly kind: 'select';
  readonly outputs: readonly Output[];
  /** Empty only where at most one row is selected. */
  readonly orderBy: readonly OrderTerm[];
  readonly window: Window | null;
}

/** How many rows a select without its window has. */
export interface CountQuery extends Source {
  readonly kind: 'count';
}

/**
 * The first `perKey` rows related to each of many parent keys, which are one parameter, and how many there are. Result columns: the parent's
 * ordinal, the count, then the outputs; in order of ordinals.
 */
export interface RelatedQuery extends Source {
  readonly kind: 'related';
  /** The columns that equal the parts of a key: of the first table of `via`, or of `from` where `via` is empty. */
  readonly keyColumns: readonly ColumnRef[];
  /** The link tables; two links to the same row count once. */
  readonly via: readonly ViaStep[];
  readonly outputs: readonly Output[];
  readonly orderBy: readonly OrderTerm[];
  readonly perKey: number;
}

/** The rows with given keys, which are one parameter, if they exist and meet the condition. Result columns: the key's ordinal, then the outputs. */
export interface KeyedQuery extends Source {
  readonly kind: 'keyed';
  /** The columns that equal the parts of a key; together they are unique. */
  readonly keyColumns: readonly ColumnRef[];
  readonly outputs: readonly Output[];
  /** Empty for the order of the keys. */
  readonly orderBy: readonly OrderTerm[];
  /** Keys are compared in one case. */
  readonly folded?: true;
  /** The rows of {@link from} are locked for this change until the transaction ends. */
  readonly lock?: RowLock;
}

export type RowLock = 'update' | 'delete';

/** A link table, with its join to the next table of the path, or to the query's `from`. */
export type ViaStep = Omit<Join, 'type'>;

/** The server-wide modification stamp alone. */
export interface GlobalStampQuery {
  readonly kind: 'globalStamp';
}

/** Where the engine keeps what tells changed rows: change tracking, a rowversion column, xmin, or a column of times. */
export type VersionKind = 'changeTracking' | 'rowversion' | 'xmin' | 'timestamp';

/**
 * How far the changes of rows are complete: the first version that a transaction may still write. Result columns: that version, which is the
 * database's time in UTC for `timestamp`; what tells this database from others and from its own backups; for change tracking the first version of
 * which it still knows all changes of the table. When it returns, no crash of the database can lose that version or what was read before.
 */
export interface VersionBoundQuery {
  readonly kind: 'versionBound';
  readonly of: VersionKind;
  readonly table: Pick<TableSource, 'schema' | 'name'>;
}

/**
 * The new value of a column. The rows of a request are one parameter of JSON text, `[[ordinal, field, …], …]`, every field canonical text or
 * null: the key parts of a changed row, its checked stamp, the values of the held columns, then the {@link Assignment}s' cells, in order.
 */
export type AssignedValue =
  /** The row's next cell, as a value of the column. */
  | { readonly kind: 'cell' }
  /** Bytes, as a parameter of their own: the statement writes one row. */
  | { readonly kind: 'bytes' }
  /** 1, with which the counter of a new row begins. */
  | { readonly kind: 'firstStamp' }
  /** The counter plus one; 1 after its type's highest value and after null. A value whose stamp would be 0, so equal to the last one, is skipped. */
  | { readonly kind: 'nextStamp'; readonly bits: 53 | 31 }
  /** The present time, as the database's own programs write it. */
  | { readonly kind: 'now' }
  /** The present value: the row gets a new row version, and nothing else changes. */
  | { readonly kind: 'same' };

export interface Assignment {
  readonly column: ColumnRef;
  readonly value: AssignedValue;
}

/** How many rows a statement writes: the text for one can take its fields as parameters, and needs no order. */
export type RowCount = 'one' | 'many';

/** New rows, in the order of their ordinals. */
export interface InsertQuery {
  readonly kind: 'insert';
  readonly into: TableSource;
  /** Empty for one row of defaults. */
  readonly assignments: readonly Assignment[];
  /** The columns of a key that the database makes. Result: the keys in the order of the rows; none where this is empty. */
  readonly returning: readonly ColumnRef[];
  /**
   * Outputs of the rows' own columns, which stand before `returning`. Before them stands a number: 0 if the row is as the statement's triggers have left
   * it, and need not be read again.
   */
  readonly answer?: { readonly key: readonly ColumnRef[]; readonly outputs: readonly Output[] };
  readonly rows: RowCount;
  /** A trigger stands in for the statement (INSTEAD OF), which then writes one row. */
  readonly instead: boolean;
  /** It only reads the values as the types of their columns do, and inserts nothing. */
  readonly trial?: boolean;
}

/** The row of a change: the one with this key and, if it is checked, this stamp. */
export interface RowMatch {
  readonly key: readonly ColumnRef[];
  readonly stamp: { readonly source: StampSource; readonly bits: 53 | 31 } | null;
  /** Columns that must have the values, or nulls, with which the row was read. */
  readonly held?: readonly ColumnRef[];
  /** Over columns of the changed table only, as they are before the change. */
  readonly where: Condition | null;
}

/** Deletes rows by their keys. Result: the ordinals of those that were deleted, in any order; with an INSTEAD OF trigger, which hides them, a row if it met any. */
export interface DeleteRowsQuery {
  readonly kind: 'deleteRows';
  readonly table: TableSource;
  readonly match: RowMatch;
  readonly rows: RowCount;
  /** A trigger stands in for the statement (INSTEAD OF), which then writes one row. */
  readonly instead: boolean;
}

/** Changes rows by their keys. Result: the keys that the changed rows have then, in any order; with an INSTEAD OF trigger as that of a {@link DeleteRowsQuery}. */
export interface UpdateQuery extends Omit<DeleteRowsQuery, 'kind'> {
  readonly kind: 'update';
  readonly assignments: readonly Assignment[];
}

/**
 * Changes rows by their keys and stamps, unless they already have the values, and reads them again, in one statement. The fields are those of an
 * {@link UpdateQuery}'s rows; of one row they are parameters of their own, and the last one is the name of its lock, if that is checked. Result: the
 * ordinals of the rows that were changed, and the outputs; all others are left alone, also those that another transaction has locked.
 */
export interface DirectUpdateQuery extends Omit<UpdateQuery, 'kind' | 'instead'> {
  readonly kind: 'directUpdate';
  /** Of the row's own columns. */
  readonly outputs: readonly Output[];
  /** The only row is left alone if another session has locked it; of many rows, the locks are looked at afterwards. */
  readonly unlocked: boolean;
  /** The positions in the table of the changed columns, if changing them waits only for the row (`Table.contended`); otherwise null. */
  readonly uncontended: readonly number[] | null;
}

/** Deletes the rows of `from` that meet a condition. */
export interface DeleteWhereQuery extends Source {
  readonly kind: 'deleteWhere';
  /** Empty for a table without a key. */
  readonly key: readonly ColumnRef[];
  /** The result is the keys of the deleted rows, in any order. */
  readonly returning?: true;
  readonly instead: boolean;
}

/**
 * Finds the cells that would lose characters because their column's code page lacks them. Rows are the ordinal, then a cell for each column.
 * Result: the row's ordinal and the index of the column.
 */
export interface UnencodableQuery {
  readonly kind: 'unencodable';
  readonly columns: readonly ColumnRef[];
}

export type WriteQuery =
  InsertQuery | UpdateQuery | DeleteRowsQuery | DeleteWhereQuery | UnencodableQuery;
