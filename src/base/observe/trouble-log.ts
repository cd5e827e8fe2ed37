import { ProtocolError, type ErrorName } from '../errors.ts';
import { reason } from '../reason.ts';
import type { Logger } from './logger.ts';

/** Errors that tell of the state of the database, which all requests meet at the same time. */
const TROUBLES: ReadonlySet<ErrorName> = new Set([
  'databaseUnavailable',
  'databaseUnable',
  'connectionsBusy',
  'statementTimeout',
  'outcomeUnknown',
  'deadlock',
]);

/** Whether an error tells of the state of the database. */
export function isTrouble(error: Error): error is ProtocolError {
  return error instanceof ProtocolError && TROUBLES.has(error.errorName);
}

/** How far apart two lines are at least, in milliseconds. */
const PAUSE = 1000;

/** How much of the engine's own words a line holds, in UTF-16 code units. */
const LONGEST_CAUSE = 300;

/** What one line stands for. */
interface Gathered {
  requests: number;
  readonly errors: Map<ErrorName, number>;
  readonly error: ProtocolError;
  readonly reqId: string;
}

/**
 * Writes what a database in trouble does to requests: the first one at once, and from there on a line a second at most, with how many requests it
 * stands for, by error. It has no stacks: they would be those of the gateway's own code, the same each time.
 */
export class TroubleLog {
  readonly #log: Pick<Logger, 'error'>;
  #gathered: Gathered | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(log: Pick<Logger, 'error'>) {
    this.#log = log;
  }

  /** A request met trouble; told once for each error of a request. */
  met(error: ProtocolError, reqId: string): void {
    const errors = new Map<ErrorName, number>();
    const gathered = (this.#gathered ??= { requests: 0, errors, error, reqId });
    gathered.requests += 1;
    gathered.errors.set(error.errorName, (gathered.errors.get(error.errorName) ?? 0) + 1);
    if (this.#timer === null) this.#write(gathered);
  }

  #write({ requests, errors, error, reqId }: Gathered): void {
    this.#gathered = null;
    const cause = reason(error);
    this.#log.error(
      {
        reqId,
        requests,
        errors: Object.fromEntries(errors),
        ...(cause === error.message ? {} : { cause: cause.slice(0, LONGEST_CAUSE) }),
      },
      error.message,
    );
    this.#timer = setTimeout(() => {
      this.#timer = null;
      if (this.#gathered !== null) this.#write(this.#gathered);
    }, PAUSE);
    this.#timer.unref();
  }
}
