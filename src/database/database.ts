import type { RequestContext } from '../base/observe/observer.ts';
import type { ColumnType, PhysicalSchema } from '../schema/types.ts';
import type { BoundValue, Dialect } from '../sql/dialect.ts';
import type { Statement, WireValue } from '../sql/ir/statement.ts';

/** The values of a row in column order, as near to the wire as the driver gives them. */
export type Row = readonly WireValue[];

/** Rows as they came over the wire, each value as text in UTF-8: writing them as bytes needs no strings. */
export interface EncodedRows {
  readonly length: number;
  /** Whether a row is so long that one of its values may have to be decoded in slices. */
  readonly hasLong: boolean;
  /** Goes through the rows once. */
  readonly cursor: () => RowCursor;
  /** Splits the rows by a column that has numbers from 1 to `count`. */
  readonly byNumber: (column: number, count: number) => readonly EncodedRows[];
}

/** Goes from row to row. Its fields describe the current row. */
export interface RowCursor {
  /** Goes on to the next row. @returns false after the last one */
  readonly next: () => boolean;
  /** Holds the values of the row. */
  readonly bytes: Uint8Array;
  /** The size of the row, in bytes. */
  readonly size: number;
  /** Where the value of each column begins. */
  readonly starts: readonly number[];
  /** The length of each value, in bytes; -1 for null. */
  readonly lengths: readonly number[];
  /** Decodes a value that is not null. */
  readonly text: (column: number) => string;
  /** Decodes the row. */
  readonly row: () => Row;
}

/** The rows of one result. */
export interface ResultSet {
  /** The names of the columns, as the engine gives them. */
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  /** The rows instead of `rows`, if `RunOptions.encoded` asked for them, the driver has them and none is long. */
  readonly encoded?: EncodedRows;
  /** The types of the columns, with values as the dialect's `resultReader` reads them; left out if the driver does not tell. */
  readonly types?: readonly ColumnType[];
}

/** A printed statement with the values of its parameters, in the order of its placeholders. */
export interface Command {
  readonly statement: Statement;
  readonly values: readonly BoundValue[];
}

export interface RunOptions extends RequestContext {
  /** The read must see what this gateway has committed: no replica answers it. */
  readonly fresh?: boolean;
  /** Takes the rows of {@link Connection.run} as they came, if the driver has them so. */
  readonly encoded?: boolean;
  /** The command may run in one statement with those of other requests. Of {@link BatchingDatabase.run} alone. */
  readonly batch?: boolean;
}

export interface StreamOptions extends RunOptions {
  /** The rows of a batch; left out if the rows may be large. */
  readonly batchRows?: number;
}

/** Runs commands. */
export interface Connection {
  /**
   * Runs one command.
   * @throws DatabaseRefusal when a rule of the database refuses a write
   * @throws ProtocolError for all other errors of the database, with the engine's error as cause; outcomeUnknown if a write may have been done
   * @throws ClientGone when the signal is aborted: the command was not sent, or was cancelled
   */
  readonly run: (command: Command, options: RunOptions) => Promise<ResultSet>;
  /**
   * Calls a routine and returns all its results. Outside of a transaction it runs in none, so that a procedure may keep its own.
   * @throws as {@link run} does for a write, and answerTooLarge for more than `MOST_CALLED_ROWS`
   */
  readonly call: (command: Command, options: RunOptions) => Promise<readonly ResultSet[]>;
}

/** A connection outside of the pool that its owner keeps, such as for locks. Its commands run in no transaction. */
export interface DedicatedConnection extends Connection {
  readonly close: () => Promise<void>;
}

/** How many connections a pool may have, how many are in use, and how many requests wait for one. */
export interface PoolUsage {
  readonly size: number;
  readonly used: number;
  readonly waiting: number;
}

/** The interface of every engine. Its `run` reads on a readable replica, if the options allow it, and runs a write in a transaction of its own. */
export interface Database extends Connection {
  readonly dialect: Dialect;
  /** The engine's own version string. */
  readonly version: string;
  /** Which settings of the database should be changed, in sentences without a full stop. */
  readonly advice: readonly string[];
  /** Reads rows in bounded batches, as they are taken; ending the iteration ends the statement. The time limit holds for each batch. */
  readonly stream: (command: Command, options: StreamOptions) => AsyncIterable<readonly Row[]>;
  /**
   * Runs work in one READ COMMITTED transaction: committed when the work resolves, rolled back when it throws or the signal is aborted before the
   * commit. It is not retried. After a command that failed no other is sent, and the transaction fails even if the work ignores the failure. The
   * work uses the given connection alone: the embedded database has no other, and would wait for itself.
   * @throws ProtocolError databaseUnavailable if it could not begin, outcomeUnknown if the connection was lost during the commit; the work's errors
   */
  readonly transaction: <Result>(
    work: (connection: Connection) => Promise<Result>,
    activity: RequestContext,
  ) => Promise<Result>;
  /**
   * Opens a connection that its owner keeps. The embedded database gives its only one, which all share.
   * @param onLost called once when the connection breaks, with all that the server held for it; not when it is closed
   */
  readonly dedicated: (onLost: (cause: Error) => void) => Promise<DedicatedConnection>;
  /** Reads the physical schema; the number of statements does not depend on the number of tables. */
  readonly introspect: () => Promise<PhysicalSchema>;
  /** Resolves when the database answers, however busy the pool is. @throws ProtocolError databaseUnavailable, databaseUnable; the signal's reason */
  readonly ping: (signal: AbortSignal) => Promise<void>;
  /** Whether an index narrows a statement to few rows, whatever its values; left out if that is not known. */
  readonly isSelective?: (statement: Statement) => boolean;
  /** The usage of the connections that serve reads. */
  readonly pool: () => PoolUsage;
  /** The usage of those that serve writes; left out where they are the same. */
  readonly writePool?: () => PoolUsage;
  readonly close: () => Promise<void>;
}

/** A database that shares work between requests, and retries reads after a deadlock. */
export interface BatchingDatabase extends Database {
  /** The current epoch of the counts: a request takes it when it comes, and joins no count that began before. */
  readonly epoch: () => number;
  /** Prepares a count: a command that returns one number. */
  readonly count: (command: Command, options: RequestContext, epoch: number) => SharedCount;
}

/** A count that may be needed. */
export interface SharedCount {
  /** Counts once, or joins a count of other requests. @throws as {@link Connection.run} */
  readonly run: () => Promise<number>;
  /** Whether the count should run beside the page: the last result was greater than the length, and a connection is free. */
  readonly isDueBeyond: (length: number) => boolean;
}
