import { setTimeout as sleep } from 'node:timers/promises';
import { reason } from '../base/errors.ts';
import { databaseErrors, type DatabaseError } from './errors.ts';

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
