import type { Text } from '../base/text.ts';
import type { ColumnType } from '../schema/types.ts';
import type { DirectUpdateQuery } from './ir/ir.ts';
import type { Printer, Reader, Statement, StatementParameter } from './ir/statement.ts';

/** A value of a parameter: canonical text of its type, as pieces where it is a list of rows that is long, bytes, or null. */
export type BoundValue = Text | Uint8Array | null;

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
 * The statements of entity locks in the database, where other instances and programs see them, by their names. None of them waits for a lock. An update of one row
 * tests its lock itself ({@link Dialect.printDirectUpdate}).
 */
export interface LockStatements {
  /** Takes the lock of a name for the connection, until it is released or the connection ends. Result: 1, or 0 where another one has it. */
  readonly acquire: Statement;
  /** Releases a lock that the connection has. */
  readonly release: Statement;
  /** Tells whether a connection has the lock of a name; saves, which share it for a moment, do not count. Result: 1, or 0. */
  readonly held: Statement;
  /**
   * Shares a few locks, at most {@link mostShared}, so that nobody takes them until the transaction ends; several transactions may do so at once.
   * Result: the ordinals of those that another connection has.
   */
  readonly share: Statement;
  /**
   * Tests many locks: a statement about their names, with the result of {@link share}, or one about all that are held, as {@link given} has them. Who takes one
   * afterwards waits for the rows that this transaction has locked, and compares them.
   */
  readonly test: Statement;
  readonly tests: 'names' | 'all held';
  readonly mostShared: number;
  /** The lock's parameter of a statement that changes one row ({@link Dialect.printDirectUpdate}). */
  readonly given: (name: string) => string;
}

/** One SQL dialect: a printer of the whole IR, and the forms that lists take as parameters. */
export interface Dialect extends Printer {
  readonly name: 'postgres' | 'tsql';
  readonly limits: ValueLimits;
  /** Whether an INSERT that a trigger replaces answers the last identity, which may be that of another row. */
  readonly guessesKeys: boolean;
  /** The text that asks for the query plan of a statement without running it: one row of JSON. Null if no single statement can. */
  readonly explain: ((text: string) => string) | null;
  /** Prints a change of one row that returns its new values; null where the engine has no such statement for its columns. */
  readonly printDirectUpdate: (query: DirectUpdateQuery) => Statement | null;
  /** Whether a procedure returns a number besides its parameters that go out. */
  readonly hasReturnValue: boolean;
  /** How values of result columns are read that the driver gave their types ({@link ResultSet.types}). */
  readonly resultReader: (type: ColumnType) => Reader;
  /** Begins a read-only transaction; null where the engine has none. */
  readonly readOnlyTransaction: Statement | null;
  /** The native type that a parameter is bound as; null where the driver sends text, and the statement casts it. */
  readonly parameterType: (parameter: StatementParameter, value: BoundValue) => string | null;
  /** A canonical text of a type as the statements take it. */
  readonly parameterText: (text: string, type: ColumnType) => string;
  /** Many values as the text of one parameter. @param type theirs */
  readonly listText: (values: readonly string[], type?: ColumnType) => string;
  /** Text in which nothing is special, as part of a LIKE pattern. */
  readonly likeLiteral: (text: string) => string;
  /** How many characters a LIKE pattern has at most. */
  readonly longestPattern: number;
  /** How entities are locked where others see it; null where one process alone has the database. */
  readonly locks: LockStatements | null;
}
