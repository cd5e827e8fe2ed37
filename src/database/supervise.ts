import { ClientGone, limitTime, onAbort } from '../base/abort.ts';
import { ProtocolError } from '../base/errors.ts';
import type { Statement } from '../sql/dialect.ts';
import type { DriverConnection, DriverErrors, StopReason, TimeLimits } from './driver.ts';
import { databaseError, databaseErrors, type DatabaseError } from './errors.ts';
import { DatabaseRefusal, type Violation } from './violation.ts';

/** A statement was stopped before its end. */
export class StatementStopped extends Error {
  readonly reason: StopReason;
  /** Whether the engine acknowledged the cancelling; else the connection was closed. */
  readonly isAcknowledged: boolean;

  constructor(reason: StopReason, isAcknowledged: boolean, cause?: unknown) {
    super(`The statement was stopped by its ${reason}.`, { cause });
    this.name = 'StatementStopped';
    this.reason = reason;
    this.isAcknowledged = isAcknowledged;
  }
}

/** What stops a statement. */
export interface Supervision {
  /** Null if no client waits for it. */
  readonly signal: AbortSignal | null;
  /** How long it may take, in milliseconds. */
  readonly limit: number;
  /** How long the engine may take to acknowledge the cancelling, in milliseconds. */
  readonly grace: number;
}

/** The supervision of a read or a write. */
export function supervision(
  { statement, cancelRead, cancelWrite }: TimeLimits,
  effect: Statement['effect'],
  signal: AbortSignal | null = null,
): Supervision {
  return { signal, limit: statement, grace: effect === 'read' ? cancelRead : cancelWrite };
}

/**
 * Waits for work on a connection. When the signal is aborted or the time is over, it asks the engine to cancel the work; when the engine does
 * not acknowledge that in time, it closes the connection. So this always ends, whatever the server does.
 * @throws StatementStopped; what the work throws by itself
 */
export function supervised<Result>(
  connection: Pick<DriverConnection, 'cancel' | 'destroy'>,
  work: () => Promise<Result>,
  { signal, limit, grace }: Supervision,
): Promise<Result> {
  if (signal?.aborted === true) return Promise.reject(new StatementStopped('signal', true));
  return new Promise((resolve, reject) => {
    let stopped: StopReason | null = null;
    let cancelling: Promise<void> | null = null;
    let giveUp: NodeJS.Timeout | undefined;
    let finish: (() => void) | null = null;
    const stop = (reason: StopReason): void => {
      if (stopped !== null || finish !== null) return;
      stopped = reason;
      cancelling = connection.cancel(reason).catch(() => undefined);
      giveUp = setTimeout(() => {
        const error = new StatementStopped(reason, false);
        // The outcome of the work, if it has one, matters more than that of the cancelling.
        finish ??= () => {
          reject(error);
        };
        connection.destroy(error);
        end();
      }, grace);
    };
    const inTime = limitTime(limit, () => stop('time limit'));
    const ignoreAbort = signal === null ? undefined : onAbort(signal, () => stop('signal'));
    const end = (): void => {
      inTime();
      clearTimeout(giveUp);
      ignoreAbort?.();
      finish?.();
    };
    const settle = (how: () => void): void => {
      finish ??= how;
      // A cancel request that is on its way must not hit the next statement.
      if (cancelling === null) end();
      else void cancelling.then(end);
    };
    work().then(
      (result) => {
        settle(() => {
          resolve(result);
        });
      },
      (error: unknown) => {
        const thrown = stopped === null ? error : new StatementStopped(stopped, true, error);
        settle(() => {
          // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- as it came
          reject(thrown);
        });
      },
    );
  });
}

/** What happens to a change when the connection is lost: not known, or, in a transaction before its commit, rolled back. */
export type WhenLost = 'unknown' | 'rolledBack';

/** What a failed statement was for. */
export type Purpose =
  | { readonly effect: 'read' }
  | {
      readonly effect: 'write';
      readonly whenLost: WhenLost;
      /** It may be done although the engine acknowledged the cancelling. */
      readonly mayBeDone?: boolean;
    };

/** The gateway's error for an error of a connection. */
export function failure(
  error: unknown,
  purpose: Purpose,
  errors: DriverErrors,
): ProtocolError | ClientGone {
  if (error instanceof ProtocolError || error instanceof ClientGone) return error;
  if (!(error instanceof StatementStopped)) {
    return purpose.effect === 'read'
      ? readFailure(error, errors)
      : writeFailure(error, purpose.whenLost, errors);
  }
  if (error.reason === 'signal') return new ClientGone(error);
  const isCancelled = error.isAcknowledged && !errors.isLost(error.cause);
  if (purpose.effect === 'read' || (isCancelled && purpose.mayBeDone !== true)) {
    return databaseError(databaseErrors.timeout, error);
  }
  return databaseError(lostError(purpose.whenLost), error);
}

function readFailure(error: unknown, errors: DriverErrors): ProtocolError {
  const transient = errors.classify(error);
  if (transient !== null) return databaseError(transient, error);
  const violation = errors.violation(error);
  const refused = refusedRead(error, violation, errors);
  // A key of a body may hold such text.
  return violation.ofStatement === true || violation.rule === 'unencodable'
    ? refusal(refused, violation, error)
    : databaseError(refused, error);
}

function refusedRead(error: unknown, { rule }: Violation, errors: DriverErrors): DatabaseError {
  if (rule === 'notAllowed') return databaseErrors.mayNotRead;
  if (rule === 'outdated') return databaseErrors.outdated;
  // Of a read only a sum can be out of range.
  return rule === 'outOfRange' ? databaseErrors.overflow : errors.refusedRead(error);
}

function writeFailure(error: unknown, whenLost: WhenLost, errors: DriverErrors): ProtocolError {
  if (errors.isLost(error)) {
    const lost = errors.wasSent(error) ? lostError(whenLost) : databaseErrors.unavailable;
    return databaseError(lost, error);
  }
  const transient = errors.classify(error);
  if (transient !== null) return databaseError(transient, error);
  const violation = errors.violation(error);
  const refused = violation.rule === 'outdated' ? databaseErrors.outdated : databaseErrors.refused;
  return refusal(refused, violation, error);
}

function refusal(refused: DatabaseError, violation: Violation, cause: unknown): DatabaseRefusal {
  const { message, errorName } = databaseError(refused, cause);
  return new DatabaseRefusal(violation, message, cause, errorName);
}

function lostError(whenLost: WhenLost): DatabaseError {
  return databaseErrors[whenLost === 'unknown' ? 'unknown' : 'unavailable'];
}
