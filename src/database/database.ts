import type { Activity } from '../observe/observer.ts';
import type { PhysicalSchema } from '../schema/types.ts';
import type { BoundValue, Dialect, Statement, WireValue } from '../sql/dialect.ts';

/** One row of a result: its values in column order, as near to the wire as the driver gives them. */
export type Row = readonly WireValue[];

/** The rows that a statement answered. */
export interface ResultSet {
  /** The names of the columns, as the engine gives them. */
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
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
}

/** What commands can be run on. */
export interface Connection {
  /**
   * Runs one command.
   * @throws DatabaseRefusal where a rule of the database stands against a write
   * @throws ProtocolError databaseAway, statementTimeout, deadlock or refusedByDatabase, with the engine's error as its cause;
   *   of a write also outcomeUnknown, where nobody can tell whether it has been done
   * @throws ClientGone where the signal has been aborted: the command was not sent, or the engine was asked to give it up
   */
  readonly run: (command: Command, options: RunOptions) => Promise<ResultSet>;
}

/** The small face that every engine shows. What differs between engines stays behind it and in its dialect. */
export interface Database extends Connection {
  readonly dialect: Dialect;
  /** The engine's own version string. */
  readonly version: string;
  /** As on every connection: on a readable replica where there is one and it may; a write as a transaction of its own. */
  readonly run: Connection['run'];
  /**
   * Runs work in one transaction on one connection, at the isolation level READ COMMITTED: committed when the work resolves,
   * rolled back when it throws or the signal is aborted before the commit has begun. It is not tried again. A command that
   * fails ends it: none is run after it, and work that passes over the failure fails by it. The work uses the given
   * connection alone: the embedded database has no other, and would wait for itself.
   * @throws ProtocolError databaseAway where it could not begin, outcomeUnknown where the connection was lost while
   *   committing, and what the work throws
   */
  readonly transaction: <Result>(
    work: (connection: Connection) => Promise<Result>,
    activity: Activity,
  ) => Promise<Result>;
  /** Reads the physical schema in a number of statements that does not depend on the number of tables. */
  readonly introspect: () => Promise<PhysicalSchema>;
  /** Whether the database answers. */
  readonly ping: (signal: AbortSignal) => Promise<void>;
  readonly close: () => Promise<void>;
}
