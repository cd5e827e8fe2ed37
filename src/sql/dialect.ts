import type { Text } from '../base/text.ts';
import type { ColumnType } from '../schema/types.ts';
import type { CallQuery, Query } from './ir/call.ts';
import type {
  ColumnRef,
  DirectUpdateQuery,
  KeysParameter,
  Parameter,
  SelectQuery,
  WriteQuery,
} from './ir/ir.ts';
import type { FilteredColumn } from './ir/index-use.ts';

/** What a value parameter of a statement is filled from. */
export type StatementParameter =
  | Parameter
  | KeysParameter
  /** A value of a short list, counted from 0; behind its end, the list is filled up with one that it has. Null where it has none. */
  | { readonly kind: 'listItem'; readonly list: Parameter; readonly index: number }
  /** What the plan itself says: the names of a path into JSON, which are part of the request's shape and none of its values. */
  | { readonly kind: 'constant'; readonly type: ColumnType; readonly value: string }
  /** The list of parent keys of a related query, as JSON rows `[ordinal, part, …]`. */
  | { readonly kind: 'keyList'; readonly types: readonly ColumnType[] }
  /** The rows that a statement writes, as JSON rows `[ordinal, field, …]`; a field is text or null. */
  | { readonly kind: 'rows'; readonly types: readonly ColumnType[] }
  /** One field of the only row that a statement writes, by its place behind the ordinal, counted from 0. */
  | { readonly kind: 'rowField'; readonly index: number; readonly type: ColumnType }
  /** How many seconds the clocks of a time zone are ahead of UTC when the statement runs. */
  | { readonly kind: 'offset'; readonly timeZone: string }
  /** Which bytes of a column are read: how many stand before the first one, or how many they are at most. */
  | { readonly kind: 'slice'; readonly part: 'before' | 'length' }
  /** The n-th bytes that are assigned, counted from 0. */
  | { readonly kind: 'bytes'; readonly index: number };

/** A value of a parameter: canonical text of its type, as pieces where it is a list of rows that is long, bytes, or null. */
export type BoundValue = Text | Uint8Array | null;

/** A printed query: its text is one for all values, but those that it is {@link Statement.reprinted} for. */
export interface Statement {
  /** Equal for statements of equal text, and for one and its {@link Statement.ofOneKey}; short enough for a label. */
  readonly name: string;
  readonly text: string;
  /** A write is answered with the rules of the database that it breaks. */
  readonly effect: 'read' | 'write';
  /** In the order of the text's placeholders. */
  readonly parameters: readonly StatementParameter[];
  /** One reader for each column of the result. */
  readonly readers: readonly Reader[];
  /**
   * Prints the query again for a request with values that their parameters' types cannot hold. Left out where no value is
   * compared.
   */
  readonly reprinted?: (outOfRange: OutOfRange) => Statement;
  /** The same for a list of keys that is a single one, printed when it is first asked for. Left out where it is printed alike. */
  readonly ofOneKey?: () => Statement;
  /**
   * It is a transaction, where none is open: a statement, of which nothing is done when it was cancelled, or a batch with a transaction in it, which may have been committed by
   * then. Left out where a transaction has to be begun for it.
   */
  readonly commitsItself?: 'statement' | 'batch';
  /** The columns that its rows are sought by, where the values that it is given are used for nothing else but a window. Left out where they are, or where there are none. */
  readonly filtered?: readonly FilteredColumn[];
  /** It finds one row by its key: how it is run does not depend on the values. Left out where it may. */
  readonly findsOne?: true;
  /** The same for several requests, see {@link Dialect.printTogether}; printed when it is first asked for. Left out where each runs it alone. */
  readonly together?: () => Statement | null;
}

/**
 * Parameters whose values no value of their types equals, and where those lie; one between two values is bound as the lower one.
 * Of a list it is `nowhere`: each of its values lies somewhere else.
 */
export type OutOfRange = ReadonlyMap<StatementParameter, Side | 'nowhere'>;

/** Where a value lies that a type does not have: below or above all values of the type, or between two of them. */
export type Side = 'below' | 'above' | 'between';

/** A value as the driver hands it over; what it is depends on the dialect's projection of the column. */
export type WireValue = unknown;

/**
 * Turns the non-null wire values of one result column into what the gateway needs of them. Chosen when the statement
 * is printed, because the printer knows in which form it asked for the value.
 */
export interface Reader {
  /** The value as JSON text. */
  readonly json: (value: WireValue) => string;
  /** The same piece by piece, of a value that takes long; null of any other. Of types alone that have such values. */
  readonly longJson?: (value: WireValue) => Generator<string, void> | null;
  /** The value as plain text: canonical, and accepted back as a parameter of the same type. */
  readonly text: (value: WireValue) => string;
  /** The value as bytes; of a slice alone. */
  readonly bytes?: (value: WireValue) => Buffer;
  /** How the value comes as text in UTF-8, where {@link json} hardly changes that: most values become JSON byte for byte. Left out where each has to be read. */
  readonly utf8?: Utf8Form;
}

/**
 * Forms of values in UTF-8: digits of a whole number, or with a point between two of them; text that goes between quotes where nothing in it has to be escaped, or where it is ASCII besides; `t` or `f`. But for
 * the last, {@link Reader.text} is the value as it came.
 */
export type Utf8Form = 'integer' | 'decimal' | 'text' | 'ascii' | 'truth';

/** Settings of `config.yaml` that change what is printed. */
export interface DialectSettings {
  /** IANA name of the time zone in which date-times without offset are written. */
  readonly timeZone: string;
  readonly bigNumbersAsStrings: boolean;
}

/** What the engine's finest types can tell apart. */
export interface ValueLimits {
  /** Digits of a second's fraction. */
  readonly fractionDigits: number;
  /** Whether floats have the values nearer to 0 than 2^-1022, or 2^-126 of those of 4 bytes. */
  readonly subnormals: boolean;
  /** Digits of its decimals whose precision is not declared. */
  readonly decimalDigits: number;
  /** IANA name of the time zone in which date-times without offset are written. */
  readonly timeZone: string;
  /** Whether days go beyond the years 1 to 9999 and to infinity, and times to 24:00. */
  readonly distantTimes: boolean;
  /** Whether columns of numbers may hold what is none: NaN and infinities. */
  readonly notNumbers: boolean;
}

/**
 * The statements by which sessions lock entities in the database, where other instances and other programs see it. A lock is known by a
 * name. All of them answer at once: nothing waits for a lock.
 */
export interface LockStatements {
  /** Takes the lock of a name for the connection, until it is released or the connection ends. Result: 1, or 0 where another one has it. */
  readonly acquire: Statement;
  /** Gives up a lock that the connection has. */
  readonly release: Statement;
  /**
   * Keeps the locks of a few names, at most {@link mostKept}, from being taken until the transaction ends; several transactions may do so.
   * Result: the ordinals of those that another connection has.
   */
  readonly keep: Statement;
  /**
   * Looks whether the locks of many names are taken. Who takes one then has to wait for the rows that this transaction has
   * locked, to see whether they are as they were. Result: as that of {@link keep}.
   */
  readonly test: Statement;
  readonly mostKept: number;
  /** What a statement that changes one row is given for the name of its lock ({@link Dialect.printDirectUpdate}). */
  readonly given: (name: string) => string;
}

/** One SQL dialect: a printer of the whole IR, and the forms that lists take as parameters. */
export interface Dialect {
  readonly name: 'postgres' | 'tsql';
  readonly limits: ValueLimits;
  /**
   * Whether the key that an INSERT answers is a guess where a trigger stands in for it: the identity that was given last, which may
   * be that of a row that the trigger put elsewhere.
   */
  readonly guessesKeys: boolean;
  readonly print: (query: Query) => Statement;
  /**
   * The text that asks the engine what it would do for a statement of the same parameters, without running it: one row of JSON text. Null where no
   * single statement asks for that.
   */
  readonly explain: ((text: string) => string) | null;
  /**
   * Prints a read of several requests at once, which differ in their values alone. Its parameters are those of the query, in their order; each value of a request's is a list of
   * all requests' values ({@link listText}). Each row has one more column at its end: the ordinal of the request that it is for, counted from 1. Null
   * where the query cannot be printed so; the engine may have no such statement at all.
   */
  readonly printTogether: ((query: SelectQuery) => Statement | null) | null;
  /**
   * Prints a page so that the rows before it are skipped by their key alone; null where they are not. The engine may have no use for it at all.
   * @param key as {@link keyOrder} has it
   */
  readonly printDeepPage:
    ((query: SelectQuery, key: readonly ColumnRef[]) => Statement | null) | null;
  /** Prints a change of one row that tells what the row holds then; null where the engine has no such statement for its columns. */
  readonly printDirectUpdate: (query: DirectUpdateQuery) => Statement | null;
  /** Prints a statement that writes; null for an UnencodableQuery where no column can lose a character. */
  readonly printWrite: (query: WriteQuery) => Statement | null;
  /**
   * Prints a call of a routine. Its readers are for the last result: the rows of a function; of a procedure one row of what it returns,
   * on engines that have that, and of its parameters that go out, in their order.
   */
  readonly printCall: (query: CallQuery) => Statement;
  /** Whether a procedure returns a number besides its parameters that go out. */
  readonly hasReturnValue: boolean;
  /** How values of result columns are read that the driver gave their types ({@link ResultSet.types}). */
  readonly resultReader: (type: ColumnType) => Reader;
  /** What a transaction begins with that may change nothing; null where the engine cannot be told so. */
  readonly readOnlyTransaction: Statement | null;
  /** The native type that a parameter is bound as; null where the driver sends text, and the statement casts it. */
  readonly parameterType: (parameter: StatementParameter, value: BoundValue) => string | null;
  /** A canonical text of a type as the statements take it. */
  readonly parameterText: (text: string, type: ColumnType) => string;
  /** Many values as the text of one parameter. */
  readonly listText: (values: readonly string[]) => string;
  /** Text in which nothing is special, as part of a LIKE pattern. */
  readonly likeLiteral: (text: string) => string;
  /** How many characters a LIKE pattern has at most. */
  readonly longestPattern: number;
  /** How entities are locked where others see it; null where one process alone has the database. */
  readonly locks: LockStatements | null;
}
