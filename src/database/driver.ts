import type { PhysicalSchema } from '../schema/types.ts';
import type { Statement } from '../sql/ir/statement.ts';
import type { ResultSet, Row } from './database.ts';
import type { DatabaseError, Violation } from './errors.ts';
import type { DriverValue, TextEncoding } from './long-text.ts';
import type { ContextBuilder, SessionContext } from './session-context.ts';
import { ProtocolError } from '../base/errors.ts';

/** The most bytes of the rows of one statement, on the wire: they are in memory at once. */
export const MOST_RESULT_BYTES = 134_217_728;

/** The error of a statement with more than {@link MOST_RESULT_BYTES}. */
export function resultTooLarge(): ProtocolError {
  const message = `The database answers more than ${MOST_RESULT_BYTES / 1_048_576} MB to one statement of this request: ask for fewer attributes, or for fewer entities at once.`;
  return new ProtocolError('answerTooLarge', message);
}

/** Why a statement is stopped: the client has gone, or it takes too long. */
export type StopReason = 'signal' | 'time limit';

/** A command whose long texts are encoded. */
export interface DriverCommand {
  readonly statement: Statement;
  readonly values: readonly DriverValue[];
}

/**
 * A connection of a driver: it does one thing at a time, and throws the driver's errors. {@link connectionOn} adds signals, time limits, observers
 * and messages. It may leave long texts of its rows undecoded (`UndecodedText`).
 */
export interface DriverConnection {
  /** @param encoded whether rows may be left as they come (`ResultSet.encoded`) */
  readonly run: (command: DriverCommand, encoded?: boolean) => Promise<ResultSet>;
  /** Never called in a transaction. */
  readonly open: (command: DriverCommand, batchRows: number) => Promise<DriverCursor>;
  readonly call: (command: DriverCommand) => Promise<readonly ResultSet[]>;
  readonly begin: () => Promise<void>;
  readonly commit: () => Promise<void>;
  readonly rollback: () => Promise<void>;
  /** Sets the context of the session for all later commands; never called in a transaction. */
  readonly setContext: (context: SessionContext) => Promise<void>;
  readonly clearContext: () => Promise<void>;
  /** Asks the engine to cancel what is running, which then fails. @returns when the request has arrived, and cannot hit the next statement */
  readonly cancel: (reason: StopReason) => Promise<void>;
  /** Closes the connection at once: what is running fails. */
  readonly destroy: (cause: Error) => void;
  /** Gives it back to its pool. @param isClean whether it can be used again; the driver may know better */
  readonly release: (isClean: boolean) => void;
}

/** The rows of a batch of a stream, by default. */
export const BATCH_ROWS = 256;

/** Fetches the rows of a statement in batches. */
export interface DriverCursor {
  /** The next batch; empty after the last row. */
  readonly next: () => Promise<readonly Row[]>;
  /** Ends the statement; the remaining rows are not fetched. */
  readonly close: () => Promise<void>;
}

/** A connection that its owner keeps until it closes it. */
export interface KeptConnection {
  readonly connection: DriverConnection;
  readonly close: () => Promise<void>;
}

/** Lends connections. */
export interface DriverPool {
  /** The most connections. */
  readonly size: number;
  /** How long a request waits for a connection, in milliseconds. */
  readonly waitMilliseconds: number;
  /** How many connections there are, lent or not. */
  readonly connected: () => number;
  /** Takes a free connection, or makes one; called only while fewer than {@link size} are lent. */
  readonly acquire: () => DriverConnection | Promise<DriverConnection>;
}

/** Explains the errors of a driver. */
export interface DriverErrors {
  /** Whether the connection is lost. */
  readonly isLost: (error: unknown) => boolean;
  /** Whether the command of a lost connection may have reached the server. */
  readonly wasSent: (error: unknown) => boolean;
  /** Explains an error of {@link DriverPool.acquire}. */
  readonly connecting: (error: unknown) => DatabaseError;
  /** Explains an error that is not the statement's; null if the engine refuses the statement. */
  readonly classify: (error: unknown) => DatabaseError | null;
  /** Explains the refusal of a read. */
  readonly refusedRead: (error: unknown) => DatabaseError;
  /** Explains the refusal of a change. */
  readonly violation: (error: unknown) => Violation;
}

/** How long things may take, in milliseconds. */
export interface TimeLimits {
  readonly statement: number;
  /** A statement that reads the schema. */
  readonly schema: number;
  /** Until the engine has acknowledged the cancelling of a read. */
  readonly cancelRead: number;
  /** Until it has acknowledged that of a write, which it may have to roll back. */
  readonly cancelWrite: number;
}

/** All that differs between engines but their dialects. */
export interface Driver {
  readonly reading: DriverPool;
  /** For writes, and for reads that must see them; the same pool if there are no replicas. */
  readonly writing: DriverPool;
  /**
   * Opens a connection to the reading server outside of the pools. Left out if there can be no other than the pool's.
   * @param onLost called once when it breaks, not when it is closed
   */
  readonly connectBeside?: (onLost: (cause: Error) => void) => Promise<KeptConnection>;
  readonly errors: DriverErrors;
  readonly limits: TimeLimits;
  /** Sets the server's own time limit, in milliseconds, for the statements of a transaction; left out if it has none. */
  readonly limitStatements?: (milliseconds: number) => Statement;
  readonly textEncoding: TextEncoding;
  /** Null if the user is not passed to the database. */
  readonly sessionContext: ContextBuilder | null;
  /** @param read runs a statement */
  readonly introspect: (read: (text: string) => Promise<readonly Row[]>) => Promise<PhysicalSchema>;
  readonly close: () => Promise<void>;
}
