import type { PhysicalSchema } from '../schema/types.ts';
import type { BoundParameter, Dialect, WireValue } from '../sql/dialect.ts';

/** One row of a result: its values in column order, as near to the wire as the driver gives them. */
export type Row = readonly WireValue[];

/** What statements can be run on. */
export interface Session {
  /**
   * Runs one statement that reads.
   * @throws ProtocolError databaseAway, statementTimeout, deadlock or refusedByDatabase, with the engine's error as its cause
   */
  readonly query: (text: string, values: readonly BoundParameter[]) => Promise<readonly Row[]>;
  /**
   * Runs one statement that writes.
   * @throws DatabaseRefusal where a rule of the database stands against it
   * @throws ProtocolError as {@link query}, and outcomeUnknown where the connection was lost on the way, so that nobody can
   *   tell whether it has been done
   */
  readonly change: (text: string, values: readonly BoundParameter[]) => Promise<readonly Row[]>;
}

/** The small face that every engine shows. What differs between engines stays behind it and in its dialect. */
export interface Database {
  readonly dialect: Dialect;
  /** The engine's own version string. */
  readonly version: string;
  /** Runs one statement that reads, on a readable replica where there is one. */
  readonly query: Session['query'];
  /** Where writes go, and the reads that belong to them. Each statement is a transaction of its own. */
  readonly primary: Session;
  /**
   * Runs work in one transaction on one connection, at the isolation level READ COMMITTED: committed when the work resolves,
   * rolled back when it throws. It is not tried again. A statement that fails ends it: none is run after it, and work that
   * passes over the failure fails by it. The work uses the given session alone: the embedded database has no other, and
   * would wait for itself.
   * @throws ProtocolError databaseAway where it could not begin, outcomeUnknown where the connection was lost while
   *   committing, and what the work throws
   */
  readonly transaction: <Result>(work: (session: Session) => Promise<Result>) => Promise<Result>;
  /** Reads the physical schema in a number of statements that does not depend on the number of tables. */
  readonly introspect: () => Promise<PhysicalSchema>;
  /** Whether the database answers. */
  readonly ping: () => Promise<void>;
  readonly close: () => Promise<void>;
}
