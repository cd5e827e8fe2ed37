import type { PhysicalSchema } from '../schema/types.ts';
import type { Statement } from '../sql/dialect.ts';
import type { ResultSet, Row } from './database.ts';
import type { DatabaseError } from './errors.ts';
import type { DriverValue, TextEncoding } from './long-text.ts';
import type { ContextBuilder, SessionContext } from './session-context.ts';
import type { Violation } from './violation.ts';
import { ProtocolError } from '../base/errors.ts';

/** How much the rows of one statement may take as they come over the wire, in bytes: they are held in memory at once. */
export const MOST_RESULT_BYTES = 134_217_728;

/** The rows of a statement hold more than may be in memory at once. */
export function resultTooLarge(): ProtocolError {
  return new ProtocolError(
    'answerTooLarge',
    `The database answers more than ${MOST_RESULT_BYTES / 1_048_576} MB to one statement of this request: ask for fewer attributes, or for fewer entities at once.`,
  );
}

/** What a statement is stopped by: nobody waits for it any more, or it takes too long. */
export type StopReason = 'signal' | 'time limit';

/** A command as a driver takes it: long texts among its values are encoded. */
export interface DriverCommand {
  readonly statement: Statement;
  readonly values: readonly DriverValue[];
}

/**
 * One connection as a driver shows it. It does one thing at a time, and throws what its driver throws; signals, time limits,
 * observers and the words for clients are the same for all engines, and stand above it. It may leave long texts of its rows undecoded (`UndecodedText`).
 */
export interface DriverConnection {
  /** @param encoded whether rows may be left as they come (`ResultSet.encoded`) */
  readonly run: (command: DriverCommand, encoded?: boolean) => Promise<ResultSet>;
  /** Starts a statement whose rows are fetched as they are asked for. */
  readonly open: (command: DriverCommand, batchRows: number) => Promise<DriverCursor>;
  /** All results of a statement. */
  readonly call: (command: DriverCommand) => Promise<readonly ResultSet[]>;
  readonly begin: () => Promise<void>;
  readonly commit: () => Promise<void>;
  readonly rollback: () => Promise<void>;
  /** Sets the context of the session for all that is run from now on; never called within a transaction. */
  readonly setContext: (context: SessionContext) => Promise<void>;
  /** Clears the context again, whatever has been run since. */
  readonly clearContext: () => Promise<void>;
  /**
   * Asks the engine to give up what is running, which then fails.
   * @returns when the request has arrived, and cannot meet what runs next
   */
  readonly cancel: (reason: StopReason) => Promise<void>;
  /** Breaks the connection off: what is running fails, and nobody gets it again. */
  readonly destroy: (cause: Error) => void;
  /** Gives it back to where it came from. @param isClean whether it is as it came; the driver may know of more that is wrong */
  readonly release: (isClean: boolean) => void;
}

/** How many rows of a stream are fetched at a time, where nobody says how many. */
export const BATCH_ROWS = 256;

/** The rows of a statement, fetched as they are asked for. */
export interface DriverCursor {
  /** The next rows, as many as a batch has, or as many as there are; none behind the last one. */
  readonly next: () => Promise<readonly Row[]>;
  /** Ends it, wherever it is; what could still come is not fetched. */
  readonly close: () => Promise<void>;
}

/** A connection that its owner keeps until it closes it. */
export interface KeptConnection {
  readonly connection: DriverConnection;
  readonly close: () => Promise<void>;
}

/** Connections that are lent, and kept for the next one who asks. */
export interface DriverPool {
  /** How many connections there are at most. */
  readonly size: number;
  /** How long a connection that is free or can be made is waited for, in milliseconds. */
  readonly waitMilliseconds: number;
  /** A connection that is free, at once where it is known to be, or a new one; no more than {@link size} are asked for at a time. */
  readonly acquire: () => DriverConnection | Promise<DriverConnection>;
}

/** What an engine's errors, as its driver throws them, mean. */
export interface DriverErrors {
  /** Whether an error says that the connection is gone. */
  readonly isLost: (error: unknown) => boolean;
  /** Whether what failed with its connection may have reached the server. */
  readonly wasSent: (error: unknown) => boolean;
  /** Why there is no connection, by what {@link DriverPool.acquire} threw. */
  readonly connecting: (error: unknown) => DatabaseError;
  /** What has nothing to do with the statement itself, and passes without it; null for what the engine refuses. */
  readonly classify: (error: unknown) => DatabaseError | null;
  /** What clients are told of a read that the engine refuses. */
  readonly refusedRead: (error: unknown) => DatabaseError;
  /** Which rule stands against a change that the engine refuses. */
  readonly violation: (error: unknown) => Violation;
}

/** How long things may take, in milliseconds. */
export interface TimeLimits {
  /** Of one statement. */
  readonly statement: number;
  /** Until the engine has acknowledged that it gives a statement up. */
  readonly cancelRead: number;
  /** The same for a write, which it may have to roll back. */
  readonly cancelWrite: number;
}

/** All that differs between engines but their dialects. */
export interface Driver {
  /** For reads. */
  readonly reading: DriverPool;
  /** For writes, and for reads that have to see them; the same one where there are no replicas. */
  readonly writing: DriverPool;
  /**
   * Opens a connection beside the pools, to where they read. Left out where there is no other than the pool's.
   * @param onLost told once when it breaks, and not when it is closed
   * @throws ProtocolError databaseUnavailable, databaseUnable
   */
  readonly connectBeside?: (onLost: (cause: Error) => void) => Promise<KeptConnection>;
  readonly errors: DriverErrors;
  readonly limits: TimeLimits;
  /** How long texts go to the engine. */
  readonly textEncoding: TextEncoding;
  /** Null if no user is passed to the database. */
  readonly sessionContext: ContextBuilder | null;
  /** Reads the schema by a way of running statements. */
  readonly introspect: (read: (text: string) => Promise<readonly Row[]>) => Promise<PhysicalSchema>;
  readonly close: () => Promise<void>;
}
