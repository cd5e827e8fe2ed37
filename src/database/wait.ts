import { setTimeout as delay } from 'node:timers/promises';
import { ProtocolError } from '../base/errors.ts';
import { databaseErrors, type DatabaseError } from './errors.ts';

/** Hears of a server that does not answer yet: one line for each attempt. */
export type OnWait = (message: string) => void;

/** How connecting to a server that does not answer yet is tried again. */
export interface RetryOptions {
  /** What is waited for, for messages; without secrets. */
  readonly name: string;
  readonly seconds: number;
  /** Whether an error may pass by itself: a server that starts, not a wrong password. */
  readonly mayPass: (error: unknown) => boolean;
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
  { name, seconds, mayPass, onWait }: RetryOptions,
): Promise<Connection> {
  const start = performance.now();
  for (;;) {
    try {
      return await connect();
    } catch (error) {
      const waited = (performance.now() - start) / 1000;
      if (waited + PAUSE / 1000 > seconds || !mayPass(error)) throw error;
      onWait(`waiting for ${name}: ${reason(error)} (${Math.floor(waited)} s of ${seconds} s)`);
      await delay(PAUSE);
    }
  }
}

/** The engine's own words for an error: those of all of several, and those behind the gateway's. */
export function reason(error: unknown): string {
  if (error instanceof ProtocolError && error.cause !== undefined) return reason(error.cause);
  const several = severalBehind(error);
  if (several !== null) return [...new Set(several.map(reason))].join('; ');
  return error instanceof Error ? error.message : String(error);
}

/** The errors of several attempts that stand behind one, which itself says no more than that it failed. */
function severalBehind(error: unknown): readonly unknown[] | null {
  if (error instanceof AggregateError) return error.errors as readonly unknown[];
  if (!(error instanceof Error)) return null;
  const { cause, originalError } = error as { cause?: unknown; originalError?: unknown };
  return severalBehind(cause ?? originalError);
}
