import type { ColumnType, Expression } from '../../schema/types.ts';

/**
 * The query IR: what the database is asked, in physical names, whatever its dialect. Data only: the planner builds
 * it, the printers of sql/ turn it into text. No value of a client is ever in it: values are
 * {@link Parameter}s, filled in when a plan is bound.
 */

/** A table or view under an alias that is unique in its statement. */
export interface TableSource {
  readonly schema: string;
  readonly name: string;
  readonly alias: string;
}

/** A column of an aliased source. */
export interface ColumnRef {
  readonly kind: 'column';
  readonly alias: string;
  readonly name: string;
  readonly type: ColumnType;
  readonly nullable: boolean;
  /** What is computed in the column's place, over columns of the same source; left out for a column that there is. */
  readonly expression?: Expression;
  /**
   * What a row has to meet for its expression to be looked at. Engines may compute it before they leave rows out, and where it fails, as a division by zero does,
   * the error would tell of them.
   */
  readonly guard?: Condition;
}

/**
 * Where a parameter's value comes from: it is one of the request's, by its slot; the model says it once for all requests,
 * as text, or as a list of texts; or it is a claim of whoever asks, by its name.
 */
export type ValueSource =
  | { readonly from: 'request'; readonly slot: number }
  | { readonly from: 'model'; readonly value: string | readonly string[] }
  | { readonly from: 'claim'; readonly name: string };

/**
 * A value that a statement is given when it runs. `use` says how it is turned into
 * what the engine is given; `type` is that of the column it meets, and it is bound as such.
 */
export interface Parameter {
  readonly kind: 'parameter';
  readonly source: ValueSource;
  readonly type: ColumnType;
  readonly use: ParameterUse;
  /** To which of the type's neighbouring values one is rounded that stands between them. */
  readonly round?: 'down' | 'up';
  /** Of a list: as many values as it has at most; left out where it may be long. */
  readonly size?: number;
  /** For messages: the attribute that the value is compared with, and its dataclass. */
  readonly meets: string;
}

/**
 * `value`: as it is. `wildcard`: a LIKE pattern in which `@`, and a `*` at the end, stand for any text.
 * `begins`, `contains`: a LIKE pattern for text that is literal. `list`: many values in one parameter.
 * `count`: a non-negative integer that is not a column's.
 */
export type ParameterUse = 'value' | 'wildcard' | 'begins' | 'contains' | 'list' | 'count';

/**
 * Keys of several parts that come with each request, as one parameter: rows of JSON text, `[[ordinal, part, …], …]`.
 * `slots` says for each key which of the request's values its parts are; `types` and `meets` are those of the parts.
 */
export interface KeysParameter {
  readonly kind: 'keys';
  readonly slots: readonly (readonly number[])[];
  readonly types: readonly ColumnType[];
  readonly meets: readonly string[];
}

/**
 * A property inside a JSON column, taken out as the type it is compared as: null where it is of another one. `text` is that of any value
 * which is neither object nor array, `string` that of a JSON string alone, `any` whatever is there, JSON's null excepted.
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

/** One side of a comparison. */
export type Operand = ColumnRef | JsonProperty | Parameter | Folded | { readonly kind: 'true' };

/** The comparison operators that both dialects share. */
export type ComparisonOperator = '=' | '<>' | '<' | '<=' | '>' | '>=';

/** Two operands compared. */
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
  | {
      readonly kind: 'exists';
      readonly from: TableSource;
      readonly joins: readonly Join[];
      readonly where: Condition;
    };

/** A join on equal columns: `[left, right]`, the right ones belonging to the joined table. */
export interface Join<Source = TableSource> {
  readonly type: 'left' | 'inner';
  readonly table: Source;
  readonly on: readonly (readonly [ColumnRef, ColumnRef])[];
  /** What a row of the joined table has to meet besides. */
  readonly where: Condition | null;
}

/** How the engine has the version stamp of a row: an integer from 1 to 2^bits - 1. */
export type StampSource =
  | { readonly kind: 'column'; readonly column: ColumnRef }
  | { readonly kind: 'rowversion'; readonly column: ColumnRef }
  | { readonly kind: 'xmin'; readonly alias: string };

/** One column of a result. */
export type Output =
  | { readonly kind: 'value'; readonly operand: ColumnRef }
  /** Whether a column is not null, where its content is not wanted. */
  | { readonly kind: 'presence'; readonly operand: ColumnRef }
  /** How many bytes a column of bytes holds. */
  | { readonly kind: 'byteLength'; readonly operand: ColumnRef }
  /** Some of the bytes of a column of bytes: from which one on, and how many at most, is said when the statement runs. */
  | { readonly kind: 'slice'; readonly operand: ColumnRef }
  /** A digest of all bytes of a column of bytes, as hexadecimal digits. */
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
  /** One of all columns of rows that have no key: only there to make pages deterministic, as far as the engine can sort. */
  readonly tieBreak?: true;
}

/** A window of rows, `limit` null for all from `offset` on. */
export interface Window {
  readonly offset: Parameter | null;
  readonly limit: Parameter;
}

/** Rows of one table, with what to-one joins add. */
export interface SelectQuery {
  readonly kind: 'select';
  readonly outputs: readonly Output[];
  readonly from: TableSource;
  readonly joins: readonly Join[];
  readonly where: Condition | null;
  /** Empty only where at most one row is asked for. */
  readonly orderBy: readonly OrderTerm[];
  readonly window: Window | null;
}

/** How many rows a select without its window has. */
export interface CountQuery {
  readonly kind: 'count';
  readonly from: TableSource;
  readonly joins: readonly Join[];
  readonly where: Condition | null;
}

/**
 * For each of many parent keys, which arrive as one parameter, the first `perKey` rows related to it and how many
 * there are. Result columns: the parent's ordinal, the count, then the outputs; in order of ordinals.
 *
 * `keyColumns[i]` is the column that part `i` of a key meets: of the first table of `via`, or of `from` where `via` is
 * empty. `via` leads over link tables; two links to the same row count once.
 */
export interface RelatedQuery {
  readonly kind: 'related';
  readonly keyColumns: readonly ColumnRef[];
  readonly via: readonly ViaStep[];
  readonly outputs: readonly Output[];
  readonly from: TableSource;
  readonly joins: readonly Join[];
  readonly where: Condition | null;
  readonly orderBy: readonly OrderTerm[];
  readonly perKey: number;
}

/**
 * The rows with given keys, which arrive as one parameter. Result columns: the key's ordinal, then the outputs. A key whose
 * row is not there, or does not meet the condition, has none.
 *
 * `keyColumns[i]` is the column that part `i` of a key meets; together they are unique.
 */
export interface KeyedQuery {
  readonly kind: 'keyed';
  readonly keyColumns: readonly ColumnRef[];
  readonly outputs: readonly Output[];
  readonly from: TableSource;
  readonly joins: readonly Join[];
  readonly where: Condition | null;
  /** Empty for the order of the keys. */
  readonly orderBy: readonly OrderTerm[];
  /** Keys are compared in one case; left out where they are not. */
  readonly folded?: true;
  /** The rows of {@link from} are locked until the transaction ends, for the change that is named; left out where they are not. */
  readonly lock?: RowLock;
}

/** What rows are locked for. */
export type RowLock = 'update' | 'delete';

/** A link table, and how the next table of the path (or the query's `from`) is reached from it. */
export interface ViaStep {
  readonly table: TableSource;
  readonly on: readonly (readonly [ColumnRef, ColumnRef])[];
  /** What a row of the link table has to meet. */
  readonly where: Condition | null;
}

/** The server-wide modification stamp alone. */
export interface GlobalStampQuery {
  readonly kind: 'globalStamp';
}

/**
 * What a column of a row is given. The rows of a request are one parameter of JSON text, `[[ordinal, field, …], …]`, every field a
 * canonical text or null: the key parts of a row that is changed, then the stamp where one is checked, or what the held columns held, then the cells of the
 * {@link Assignment}s, in their order.
 */
export type AssignedValue =
  /** The row's next cell, as a value of the column. */
  | { readonly kind: 'cell' }
  /** Bytes, as a parameter of their own: the statement serves one row. */
  | { readonly kind: 'bytes' }
  /** What a counter column of a new row begins with: 1. */
  | { readonly kind: 'firstStamp' }
  /**
   * The counter's present value and one more; 1 again behind the highest that its type holds, and after null. What would be cut to 0 in
   * the bits of a stamp, and so show as the stamp before it, is passed over.
   */
  | { readonly kind: 'nextStamp'; readonly bits: 53 | 31 }
  /** The present time, as the database's own programs write it. */
  | { readonly kind: 'now' }
  /** What it holds: the row is written, as a row version sees, and nothing of it changes. */
  | { readonly kind: 'same' };

/** A column that is given a value. */
export interface Assignment {
  readonly column: ColumnRef;
  readonly value: AssignedValue;
}

/** How many rows a statement serves: the text for one can take its parts as parameters, and needs no order. */
export type RowCount = 'one' | 'many';

/** New rows, in the order of their ordinals. */
export interface InsertQuery {
  readonly kind: 'insert';
  readonly into: TableSource;
  /** Empty for a row of defaults alone; then the statement serves one row. */
  readonly assignments: readonly Assignment[];
  /**
   * What is asked of each new row, because the database makes it up: the columns of its key. Result rows are in the order of
   * the rows; `[]` where the key is known, and then there is no result.
   */
  readonly returning: readonly ColumnRef[];
  readonly rows: RowCount;
  /** Whether a trigger stands in for the statement (INSTEAD OF): it serves one row then. */
  readonly instead: boolean;
}

/**
 * Which row a change meets: the one with this key and, where it is checked, with this stamp. The condition is over columns of
 * the changed table alone, as they are before the change.
 */
export interface RowMatch {
  readonly key: readonly ColumnRef[];
  readonly stamp: { readonly source: StampSource; readonly bits: 53 | 31 } | null;
  /** Columns that have to hold what they held when the row was read, nulls included; left out for none. */
  readonly held?: readonly ColumnRef[];
  readonly where: Condition | null;
}

/**
 * Changes rows by their keys. Result: the keys of the rows that were changed, in any order; where a trigger stands in for
 * the statement, a row of whatever it met, because nothing is known of what the trigger did.
 */
export interface UpdateQuery {
  readonly kind: 'update';
  readonly table: TableSource;
  readonly match: RowMatch;
  readonly assignments: readonly Assignment[];
  readonly rows: RowCount;
  /** Whether a trigger stands in for the statement (INSTEAD OF): it serves one row then. */
  readonly instead: boolean;
}

/**
 * Changes one row that holds anything else in the columns which are given cells, and tells what it holds then, all by one statement. Its values are parameters of their
 * own, fields of its only row as those of an {@link UpdateQuery}; behind them stands the name of the row's lock, where that is looked at. Result: the ordinal 0 and the
 * outputs, or nothing.
 */
export interface DirectUpdateQuery {
  readonly kind: 'directUpdate';
  readonly table: TableSource;
  readonly match: RowMatch;
  readonly assignments: readonly Assignment[];
  /** What is told of the row, of its own columns alone. */
  readonly outputs: readonly Output[];
  /** Whether it is left alone where another session has locked it. */
  readonly unlocked: boolean;
  /** The positions in the table of what it changes, where that waits for nothing but its row, as `Table.contended` says; null where it may. */
  readonly uncontended: readonly number[] | null;
}

/** Deletes rows by their keys. Result: as that of an {@link UpdateQuery}. */
export interface DeleteRowsQuery {
  readonly kind: 'deleteRows';
  readonly table: TableSource;
  readonly match: RowMatch;
  readonly rows: RowCount;
  /** Whether a trigger stands in for the statement (INSTEAD OF): it serves one row then. */
  readonly instead: boolean;
}

/**
 * Deletes the rows of one table that meet a condition, which may look at what to-one joins add. Result: the keys of the rows that were deleted,
 * in any order, where they are asked for.
 */
export interface DeleteWhereQuery {
  readonly kind: 'deleteWhere';
  readonly from: TableSource;
  readonly joins: readonly Join[];
  readonly where: Condition | null;
  /** Empty for a table without a key. */
  readonly key: readonly ColumnRef[];
  /** The keys of the deleted rows are asked for; left out where they are not. */
  readonly returning?: true;
  readonly instead: boolean;
}

/**
 * Which cells of rows would lose characters in their columns, because a column's code page lacks them. Result: the
 * row's ordinal and the index of the column. Rows hold the ordinal, then one cell for each column.
 */
export interface UnencodableQuery {
  readonly kind: 'unencodable';
  readonly columns: readonly ColumnRef[];
}

/** Everything the database can be told. */
export type WriteQuery =
  InsertQuery | UpdateQuery | DeleteRowsQuery | DeleteWhereQuery | UnencodableQuery;
