import type { DriverConnection, StopReason } from './driver.ts';
import { limitTime, onAbort } from '../base/abort.ts';

/** A statement was stopped before it ended by itself. */
export class StatementStopped extends Error {
  readonly reason: StopReason;
  /** Whether the engine told that it gave the statement up; else the connection was broken off. */
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
  /** Null where nobody's leaving stops it. */
  readonly signal: AbortSignal | null;
  /** How long it may take, in milliseconds. */
  readonly limit: number;
  /** How long the engine may take to acknowledge that it gives it up, in milliseconds. */
  readonly grace: number;
}

/**
 * Waits for what runs on a connection. When the signal is aborted or time is over, the engine is asked to give it up; an engine
 * that does not say in time that it has done so is given up itself, with the connection. So this always ends, whatever
 * the other side does. What has been done before it could be stopped is done.
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
        // What the work came to, if it did, goes before what became of the request to cancel it.
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
      // A request to cancel that is still on its way must not meet the next statement.
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
