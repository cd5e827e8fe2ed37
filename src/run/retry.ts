import { setTimeout as sleep } from 'node:timers/promises';
import { ProtocolError } from '../base/errors.ts';

/** How often work is tried in all that is the victim of a deadlock. */
const ATTEMPTS = 6;

/** The longest first pause before the next attempt, in milliseconds; it doubles each time. */
const PAUSE = 50;

/**
 * Tries work again that the database gave up because of a deadlock, and that has changed nothing therefore. The pauses are random, so that
 * the same requests do not meet again.
 * @throws ProtocolError deadlock when it was the victim each time
 */
export async function retryingDeadlocks<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const isDeadlock = error instanceof ProtocolError && error.errorName === 'deadlock';
      if (!isDeadlock || attempt === ATTEMPTS) throw error;
      await sleep(Math.random() * PAUSE * 2 ** (attempt - 1));
    }
  }
}
