import { setTimeout as sleep } from 'node:timers/promises';
import { ProtocolError } from '../base/errors.ts';

/** How often work that fell victim to a deadlock is tried in all. */
const ATTEMPTS = 6;

/** The longest first pause before the next try, in milliseconds; it doubles from try to try. */
const PAUSE = 50;

/**
 * Tries work again that the database gave up in favour of another transaction, and that has changed nothing therefore. The
 * pauses are random, so that those who met once do not meet again.
 * @param attempt which one it is, counted from 1
 * @throws ProtocolError deadlock when it was the victim each time
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
