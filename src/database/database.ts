import type { PlaceUsage } from './semaphore.ts';
import type { Activity } from '../base/observe/observer.ts';
import type { ColumnType, PhysicalSchema } from '../schema/types.ts';
import type { BoundValue, Dialect, Statement, WireValue } from '../sql/dialect.ts';

/** One row of a result: its values in column order, as near to the wire as the driver gives them. */
export type Row = readonly WireValue[];

/** Rows as they came over the wire, each value as text in UTF-8: what is made of them as bytes needs no strings. */
export interface EncodedRows {
  readonly length: number;
  /** Whether one of them is so long that a value of it may be one that is decoded in slices. */
  readonly hasLong: boolean;
  /** Goes through them once, from before the first one on. */
  readonly cursor: () => RowCursor;
  /** Those of each number from 1 on. @param column has the number @param count how many numbers there are */
  readonly byNumber: (column: number, count: number) => readonly EncodedRows[];
}

/** One row after the other. What it tells of a row holds until the next one. */
export interface RowCursor {
  /** Goes on to the next row. @returns false behind the last one */
  readonly next: () => boolean;
  /** What holds the values of the row. */
  readonly bytes: Uint8Array;
  /** How many bytes the row takes there. */
  readonly size: number;
  /** Where the value of each column begins. */
  readonly starts: readonly number[];
  /** How long the value of each column is, in bytes; -1 for null. */
  readonly lengths: readonly number[];
  /** The value of a column that is not null, decoded. */
  readonly text: (column: number) => string;
  /** The row, decoded. */
  readonly row: () => Row;
}

/** The rows that a statement answered. */
export interface ResultSet {
  /** The names of the columns, as the engine gives them. */
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  /** The rows as they came, in the place of `rows`: where that was asked for, the driver can, and none of them is long. */
  readonly encoded?: EncodedRows;
  /** The types of the columns, and their values such as the dialect's `resultReader` reads them; left out where the driver does not tell. */
  readonly types?: readonly ColumnType[];
}

/** A printed statement, handed down whole, with the values of its parameters in the order of its placeholders. */
export interface Command {
  readonly statement: Statement;
  readonly values: readonly BoundValue[];
}

/** On whose behalf a command runs, and what it has to see. */
export interface RunOptions extends Activity {
  /** Has to see what this gateway has committed: never answered by a replica that may lag behind. */
  readonly fresh?: boolean;
  /** Takes the rows as they came, where they can be had so. Of {@link Connection.run} alone. */
  readonly encoded?: boolean;
  /** The command may run in one statement with those of other requests. Of {@link BatchingDatabase.run} alone. */
  readonly batch?: boolean;
}

/** How rows are streamed. */
export interface StreamOptions extends RunOptions {
  /** How many rows a batch has, where they are known to be small; otherwise as few as rows of any size may be. */
  readonly batchRows?: number;
}

/** What commands can be run on. */
export interface Connection {
  /**
   * Runs one command.
   * @throws DatabaseRefusal where a rule of the database stands against a write
   * @throws ProtocolError databaseUnavailable, databaseUnable, connectionsBusy, lockedByAnother, statementTimeout, deadlock or refusedByDatabase, with the
   *   engine's error as its cause; of a write also outcomeUnknown, where nobody can tell whether it has been done
   * @throws ClientGone where the signal has been aborted: the command was not sent, or the engine was asked to give it up
   */
  readonly run: (command: Command, options: RunOptions) => Promise<ResultSet>;
  /**
   * The rows of a command that reads, in bounded batches. No more of them are fetched than are taken, and ending the
   * iteration ends the statement. The time limit holds for each batch, not for whoever takes them. In a transaction, and on a
   * dedicated connection, other commands wait until the iteration has ended.
   * @throws as {@link run}, while iterating
   */
  readonly stream: (command: Command, options: StreamOptions) => AsyncIterable<readonly Row[]>;
  /**
   * Runs a command that calls a routine, which may answer several results; all of them in their order, with what the driver tells of their
   * columns where it tells it. Outside of a transaction it runs in none, so that a procedure may keep its own.
   * @throws as {@link run} does for a write, and answerTooLarge where there are more than `MOST_CALLED_ROWS`
   */
  readonly call: (command: Command, options: RunOptions) => Promise<readonly ResultSet[]>;
}

/** A connection outside of the pool that its owner keeps, such as for locks. Its commands run in no transaction. */
export interface DedicatedConnection extends Connection {
  readonly close: () => Promise<void>;
}

/** The small face that every engine shows. What differs between engines stays behind it and in its dialect. */
export interface Database extends Connection {
  readonly dialect: Dialect;
  /** The engine's own version string. */
  readonly version: string;
  /** What of the database's settings would serve everybody better otherwise, in sentences without a full stop. */
  readonly advice: readonly string[];
  /** As on every connection: on a readable replica where there is one and it may; a write as a transaction of its own. */
  readonly run: Connection['run'];
  /**
   * Runs work in one transaction on one connection, at the isolation level READ COMMITTED: committed when the work resolves,
   * rolled back when it throws or the signal is aborted before the commit has begun. It is not tried again. A command that
   * fails ends it: none is run after it, and work that passes over the failure fails by it. The work uses the given
   * connection alone: the embedded database has no other, and would wait for itself.
   * @throws ProtocolError databaseUnavailable where it could not begin, outcomeUnknown where the connection was lost while
   *   committing, and what the work throws
   */
  readonly transaction: <Result>(
    work: (connection: Connection) => Promise<Result>,
    activity: Activity,
  ) => Promise<Result>;
  /**
   * Opens a connection that its owner keeps. The embedded database has only one, which it shares with everyone.
   * @param onLost told once when the connection breaks, with all that the server held for it; not when it is closed
   * @throws ProtocolError databaseUnavailable, databaseUnable
   */
  readonly dedicated: (onLost: (cause: Error) => void) => Promise<DedicatedConnection>;
  /** Reads the physical schema in a number of statements that does not depend on the number of tables. */
  readonly introspect: () => Promise<PhysicalSchema>;
  /**
   * Resolves when the database answers; how much the connections of the pool have to do does not matter.
   * @throws ProtocolError databaseUnavailable, databaseUnable; the reason of the signal where it is aborted before
   */
  readonly ping: (signal: AbortSignal) => Promise<void>;
  /** Whether a statement finds few rows, and those by an index, whatever values they are sought by; left out where nobody knows. */
  readonly isSelective?: (statement: Statement) => boolean;
  /** How many of the connections that serve reads there are, are in use, and are waited for. */
  readonly pool: () => PlaceUsage;
  readonly close: () => Promise<void>;
}

/** A database that shares work between requests, and repeats reads that were the victim of a deadlock. */
export interface BatchingDatabase extends Database {
  /** The current moment of the counts: a request takes it when it comes, and joins no count that began before. */
  readonly epoch: () => number;
  /** Prepares a count, which returns one number. @throws as {@link run}, when it is run */
  readonly count: (command: Command, options: Activity, epoch: number) => SharedCount;
}

/** A count that may be needed. */
export interface SharedCount {
  /** Counts once, or joins a count of other requests. */
  readonly run: () => Promise<number>;
  /** Whether the count should begin before the page is read: the last result was greater than the length, and a connection is free. */
  readonly isDueBeyond: (length: number) => boolean;
}
