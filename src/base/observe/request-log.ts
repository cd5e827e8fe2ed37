import { LRUCache } from 'lru-cache';
import { excerpt, jsonString } from '../text.ts';
import type { Logger, Observer, RequestLogger, Stage } from './observer.ts';
import { isSecretName, MASK, unescaped, withoutLogins } from '../secret-names.ts';
import { type ErrorName, ProtocolError, reason } from '../errors.ts';

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
function isTrouble(error: Error): error is ProtocolError {
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
class TroubleLog {
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

/** The longest URL that a line of the log repeats. */
const LOGGED_URL = 2000;

/** What parameters are called besides that hold a credential, in lower case: no URL of the API has one, and clients send them all the same. */
const CREDENTIALS: ReadonlySet<string> = new Set([
  'user',
  'username',
  'username-4d',
  'pass',
  'password-4d',
  'api-key',
  'api_key',
  'apikey',
  'key',
  'authorization',
]);

/** An API key, wherever it stands. */
const API_KEY = /egk_[\w-]{8,}/g;

/** What holds no parameter, no login and no key, and is not cut. */
const PLAIN = /^[\w/()$.-]{0,200}$/;

/** A URL as the log tells it: cut where it is long, and without what would let somebody in whom the log is shown. */
export function loggedUrl(url: string): string {
  if (PLAIN.test(url) && !url.includes('egk_')) return url;
  const shown = withoutCredentials(withoutLogins(url)).replace(API_KEY, `egk_${MASK}`);
  return excerpt(shown, LOGGED_URL);
}

/** A parameter behind a question mark, an ampersand or a semicolon. */
const PARAMETER = /(?<=[?&;])([^?&;=]*)=([^&;]*)/g;

function withoutCredentials(url: string): string {
  if (!namesCredential(url)) return url;
  return url.replace(PARAMETER, (parameter, name: string) =>
    isCredential(name) ? `${name}=${MASK}` : parameter,
  );
}

/** Whether what stands before any equals sign is the name of a credential: in nearly all URLs nothing is. */
function namesCredential(url: string): boolean {
  for (let sign = url.indexOf('='); sign !== -1; sign = url.indexOf('=', sign + 1)) {
    let start = sign;
    while (start > 0 && !SEPARATORS.has(url[start - 1] ?? '')) start -= 1;
    if (isCredential(url.slice(start, sign))) return true;
  }
  return false;
}

const SEPARATORS: ReadonlySet<string> = new Set(['?', '&', ';', '=']);

function isCredential(name: string): boolean {
  const known = told.get(name);
  if (known !== undefined) return known;
  const found = isSecretName(name) || CREDENTIALS.has(unescaped(name).trim().toLowerCase());
  told.set(name, found);
  return found;
}

/** What is known of names: the same few stand in most URLs. */
const told = new LRUCache<string, boolean>({
  max: 500,
  maxSize: 50_000,
  sizeCalculation: (_is, name) => name.length + 1,
});

/**
 * Writes requests to a log: a line each when it has ended, with what was asked, how it ended and where the time went; before it
 * a line for each error, and at level debug for each statement and each wait for a connection. What the state of the database makes of many
 * requests is a line for all of them ({@link TroubleLog}). Probes that went well are not written.
 */
export function requestLog(log: RequestLogger): Observer {
  const trouble = new TroubleLog(log);
  return ({ id: reqId, verb, url }) => {
    const stages: Stage[] = [];
    const times: number[] = [];
    let troubles: Set<string> | null = null;
    return {
      stageDone: (stage, milliseconds) => {
        const at = stages.indexOf(stage);
        if (at === -1) {
          stages.push(stage);
          times.push(milliseconds);
        } else {
          times[at] = (times[at] ?? 0) + milliseconds;
        }
      },
      statementRun: ({ name, text: sql, milliseconds, rows }) => {
        const outcome = rows === null ? { failed: true } : { rows };
        log.debug({ reqId, name, sql, ms: rounded(milliseconds), ...outcome }, 'statement');
      },
      poolWaited: (milliseconds) => {
        log.debug({ reqId, ms: rounded(milliseconds) }, 'waited for a connection');
      },
      errorMet: (err) => {
        if (!isTrouble(err)) {
          log.error({ reqId, err }, err.message);
          return;
        }
        troubles ??= new Set();
        if (troubles.has(err.errorName)) return;
        troubles.add(err.errorName);
        trouble.met(err, reqId);
      },
      writes: null,
      requestEnded: ({ status, milliseconds, clientGone }) => {
        if (url.startsWith('/health/')) return;
        const timed = stages.map((stage, at) => `"${stage}":${decimal(times[at] ?? 0)}`);
        // There is one for each request: a writer for any object takes three times as long for it.
        log.line(
          `"reqId":${jsonString(reqId)},"method":"${verb}","url":${jsonString(loggedUrl(url))},"statusCode":${status},` +
            (clientGone ? '"clientGone":true,' : '') +
            (troubles === null ? '' : `"errors":${JSON.stringify([...troubles])},`) +
            `"ms":${decimal(milliseconds)},"stages":{${timed.join(',')}}`,
          'request',
        );
      },
    };
  };
}

/** To the microsecond. */
function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}

/** What stands behind the point of each number of microseconds. */
const FRACTIONS = Array.from(
  { length: 1000 },
  (_, microseconds) => `.${String(microseconds).padStart(3, '0')}`,
);

/** The same as JSON: to print a fraction takes as long as all else of a line. */
function decimal(milliseconds: number): string {
  const microseconds = Math.round(milliseconds * 1000);
  return `${Math.floor(microseconds / 1000)}${FRACTIONS[microseconds % 1000] ?? ''}`;
}
