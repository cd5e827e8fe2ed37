import { setTimeout as sleep } from 'node:timers/promises';
import { ProtocolError } from '../base/errors.ts';

/** How often work is tried in all. */
const ATTEMPTS = 6;

/** The longest first pause before the next attempt, in milliseconds; it doubles with each attempt. */
const PAUSE = 50;

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
    await sleep(Math.random() * PAUSE * 2 ** (attempt - 1));
    return retryingDeadlocks(work, attempt + 1);
  });
}
