import { setTimeout as delay } from 'node:timers/promises';
import { reason } from '../base/errors.ts';
import { databaseErrors, type DatabaseError } from './errors.ts';

/** Hears of a server that does not answer yet: one line for each attempt. */
export type OnWait = (message: string) => void;

/** How connecting to a server that does not answer yet is tried again. */
export interface RetryOptions {
  /** What is waited for, for messages; without secrets. */
  readonly name: string;
  readonly seconds: number;
  /** Whether an error may pass by itself: a server that starts, not a wrong password. */
  readonly isTransient: (error: unknown) => boolean;
  readonly onWait: OnWait;
}

const LASTING: ReadonlySet<DatabaseError> = new Set([
  databaseErrors.loginRefused,
  databaseErrors.missing,
]);

/** Whether what keeps a connection from being made may pass by itself: a server that starts does, a wrong password does not. */
export function mayPass(error: DatabaseError): boolean {
  return !LASTING.has(error);
}

/** Between attempts, in milliseconds. */
const PAUSE = 1000;

/**
 * Connects, and tries again while the server does not answer and time is left.
 * @throws what the last attempt threw
 */
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
      await delay(PAUSE);
    }
  }
}
