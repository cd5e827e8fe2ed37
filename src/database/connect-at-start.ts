import { setTimeout as sleep } from 'node:timers/promises';
import { reason, StartupError } from '../base/errors.ts';
import { type DatabaseError, databaseErrors } from './errors.ts';

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

/** The next step for a server that was not reached, by words of the drivers and of the system. */
const NEXT_STEPS: readonly (readonly [words: RegExp, step: string])[] = [
  [/ECONNREFUSED/, 'Nothing listens there: start the server, or correct host and port.'],
  [/ENOTFOUND|EAI_AGAIN/, 'The name is unknown here: correct it, or the DNS of this machine.'],
  [/client password must be/, 'The server asks for a password, and none is given.'],
  [/does not encrypt/, 'Set TLS up there; only encrypt=false sends the login in plain text.'],
  [/not support SSL/, 'Set TLS up there, or leave out sslmode.'],
  [
    /socket hang up|terminated unexpectedly|before secure TLS|wrong version number|establishing an SSL/,
    'Another kind of server may listen there: check host and port.',
  ],
  [
    /timeout|timed? ?out|in \d+ms|EHOSTUNREACH|ENETUNREACH/i,
    'No answer came: check host, port and firewalls, and that no other kind of server listens there.',
  ],
];

/**
 * Makes the error of a start without a connection, which says what to do next.
 * @param why the server's reason, or the driver's
 * @param refusal the kind of the error
 * @param unchecked the setting by which the driver takes any certificate
 */
export function cannotConnect(
  name: string,
  why: string,
  { refusal, unchecked }: { readonly refusal: DatabaseError; readonly unchecked: string },
): StartupError {
  const step = nextStep(why, refusal, unchecked);
  const message = step === undefined ? why : `${why.trimEnd().replace(/\.$/, '')}. ${step}`;
  return StartupError.at('database', `${name} cannot be used: ${message}`);
}

function nextStep(why: string, refusal: DatabaseError, unchecked: string): string | undefined {
  if (refusal === databaseErrors.loginRefused) {
    return 'Check user and password, and whether the server lets this user in from here.';
  }
  if (refusal === databaseErrors.missing) {
    return 'Check the name of the database, and whether this user may open it.';
  }
  if (/altnames|cert's list/i.test(why)) {
    return `Use the name of the host that is in the certificate; ${unchecked} takes any.`;
  }
  // Most servers have a certificate of their own, which the drivers do not trust.
  if (/certificate/i.test(why)) {
    return `NODE_EXTRA_CA_CERTS=FILE trusts its authority; ${unchecked} takes it unchecked.`;
  }
  return NEXT_STEPS.find(([words]) => words.test(why))?.[1];
}
