import { setTimeout as sleep } from 'node:timers/promises';
import { ProtocolError, reason } from '../base/errors.ts';
import { databaseErrors, type DatabaseError } from './errors.ts';

/** How often work is tried in all. */
const ATTEMPTS = 6;

/** The longest first pause before the next attempt, in milliseconds; it doubles with each attempt. */
const FIRST_PAUSE = 50;

/**
 * Runs work again when it was the victim of a deadlock, and so has changed nothing. The pauses are random, so that the same
 * transactions do not meet again.
 * @param attempt the number of this attempt, from 1
 * @throws ProtocolError deadlock after the last attempt
 */
export function retryingDeadlocks<Result>(
  work: () => Promise<Result>,
  attempt = 1,
): Promise<Result> {
  return work().catch(async (error: unknown) => {
    const isDeadlock = error instanceof ProtocolError && error.errorName === 'deadlock';
    if (!isDeadlock || attempt === ATTEMPTS) throw error;
    await sleep(Math.random() * FIRST_PAUSE * 2 ** (attempt - 1));
    return retryingDeadlocks(work, attempt + 1);
  });
}
/** Called with a message before each wait for the server. */
export type OnWait = (message: string) => void;

/** How a connection is retried while the server starts. */
export interface RetryOptions {
  /** The server, for messages; without secrets. */
  readonly name: string;
  readonly seconds: number;
  readonly isTransient: (error: unknown) => boolean;
  readonly onWait: OnWait;
}

/** Whether an error may pass by itself: a server that starts does, a wrong password does not. */
export function mayPass(error: DatabaseError): boolean {
  return error !== databaseErrors.loginRefused && error !== databaseErrors.missing;
}

/** Between attempts, in milliseconds. */
const PAUSE = 1000;

/** Connects, and retries while the error is transient and time is left. @throws what the last attempt threw */
export async function connectRetrying<Connection>(
  connect: () => Promise<Connection>,
  { name, seconds, isTransient, onWait }: RetryOptions,
): Promise<Connection> {
  const start = performance.now();
  for (;;) {
    try {
      return await connect();
    } catch (error) {
      const waited = (performance.now() - start) / 1000;
      if (waited + PAUSE / 1000 > seconds || !isTransient(error)) throw error;
      onWait(`waiting for ${name}: ${reason(error)} (${Math.floor(waited)} s of ${seconds} s)`);
      await sleep(PAUSE);
    }
  }
}
