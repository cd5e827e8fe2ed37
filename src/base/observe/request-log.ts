import { LRUCache } from 'lru-cache';
import { excerpt, isSecretName, jsonString, MASK, unescaped, withoutLogins } from '../text.ts';
import {
  decimal,
  type Logger,
  type NamedRequest,
  type Observer,
  type ObserveWrites,
  type RequestLogger,
  rounded,
  StageTimes,
} from './observer.ts';
import { SlowRequest } from './slow-requests.ts';
import { type ErrorName, ProtocolError, reason } from '../errors.ts';

/** Errors of the state of the database, which many requests meet at once. */
const TROUBLES: ReadonlySet<ErrorName> = new Set([
  'databaseUnavailable',
  'databaseUnable',
  'connectionsBusy',
  'statementTimeout',
  'outcomeUnknown',
  'deadlock',
]);

function isTrouble(error: Error): error is ProtocolError {
  return error instanceof ProtocolError && TROUBLES.has(error.errorName);
}

/** The least time between two lines, in milliseconds. */
const PAUSE = 1000;

/** How many UTF-16 code units of the engine's message a line holds. */
const LONGEST_CAUSE = 300;

interface Gathered {
  requests: number;
  readonly errors: Map<ErrorName, number>;
  readonly error: ProtocolError;
  readonly reqId: string;
}

/** Logs the errors of a database in trouble: the first at once, then at most a line a second, with the number of requests by error, without stacks. */
class TroubleLog {
  readonly #log: Pick<Logger, 'error'>;
  #gathered: Gathered | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(log: Pick<Logger, 'error'>) {
    this.#log = log;
  }

  /** To be called once for each error of a request. */
  record(error: ProtocolError, reqId: string): void {
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

/** How many characters of a URL a line holds. */
const LOGGED_URL = 2000;

/** More names of parameters with credentials, in lower case: the API has no such parameters, but clients send them. */
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

const API_KEY = /egk_[\w-]{8,}/g;

/** A short URL without parameters and logins. */
const PLAIN = /^[\w/()$.-]{0,200}$/;

/** The path where people sign in, also behind a prefix of a proxy: the provider leads them there by a URL with a code. */
const SIGN_IN = /\/oidc\/callback/i;

/** A URL for the log: shortened, and without credentials. */
export function loggedUrl(url: string): string {
  if (PLAIN.test(url) && !url.includes('egk_')) return url;
  const [path = ''] = url.split('?', 1);
  const told = SIGN_IN.test(unescaped(path)) ? path : url;
  const shown = withoutCredentials(withoutLogins(told)).replace(API_KEY, `egk_${MASK}`);
  return excerpt(shown, LOGGED_URL);
}

const PARAMETER = /(?<=[?&;])([^?&;=]*)=([^&;]*)/g;

function withoutCredentials(url: string): string {
  return url.replace(PARAMETER, (parameter, name: string) =>
    isCredential(name) ? `${name}=${MASK}` : parameter,
  );
}

function isCredential(name: string): boolean {
  const known = credentialNames.get(name);
  if (known !== undefined) return known;
  const found = isSecretName(name) || CREDENTIALS.has(unescaped(name).trim().toLowerCase());
  credentialNames.set(name, found);
  return found;
}

/** Whether names are those of credentials: most URLs have the same few names. */
const credentialNames = new LRUCache<string, boolean>({
  max: 500,
  maxSize: 50_000,
  sizeCalculation: (_is, name) => name.length + 1,
});

/** The operation and the dataclass of a request, as members of its line; empty where it names no dataclass. */
function nameOf({ operation, dataclass }: NamedRequest): string {
  return dataclass === null
    ? ''
    : `"operation":${jsonString(operation)},"dataclass":${jsonString(dataclass)},`;
}

/** How many warnings are remembered, which are logged once. */
const MOST_WARNINGS = 1000;

/** How many characters of a warning are logged, and remembered. */
const LONGEST_WARNING = 1000;

/**
 * Logs requests: a line for each when it ends, and for each error; at level debug also for each statement and each wait for a connection. Errors of the
 * state of the database are logged together ({@link TroubleLog}), equal warnings once, health probes not at all. Writes go to another observer.
 * @param slow from how many milliseconds on a request has a line of its own at level warn, with its statements and its query
 */
export function requestLog(
  log: RequestLogger,
  writesOf?: ObserveWrites,
  slow = Infinity,
): Observer {
  const trouble = new TroubleLog(log);
  const warnings = new LRUCache<string, true>({ max: MOST_WARNINGS });
  return (request) => {
    const { id: reqId, verb, url } = request;
    const stages = new StageTimes();
    const details = slow === Infinity ? null : new SlowRequest();
    let troubles: Set<string> | null = null;
    // A URL of the API says it itself.
    const isNamed = !url.startsWith('/rest');
    let name = '';
    return {
      requestNamed:
        details === null && !isNamed
          ? undefined
          : (named) => {
              if (isNamed) name = nameOf(named);
              details?.requestNamed(named);
            },
      stageDone: (stage, milliseconds) => stages.add(stage, milliseconds),
      statementRun: (statement) => {
        details?.statementRun(statement);
        const { name, text: sql, milliseconds, rows } = statement;
        const outcome = rows === null ? { failed: true } : { rows };
        log.debug({ reqId, name, sql, ms: rounded(milliseconds), ...outcome }, 'statement');
      },
      poolWaited: (milliseconds) => {
        details?.poolWaited(milliseconds);
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
        trouble.record(err, reqId);
      },
      warned: (text) => {
        const warning = excerpt(text, LONGEST_WARNING);
        if (warnings.get(warning) === true) return;
        warnings.set(warning, true);
        log.warn({ reqId }, warning);
      },
      writes: writesOf?.(request) ?? null,
      requestEnded: ({ status, milliseconds, end }) => {
        if (url.startsWith('/health/')) return;
        // For each request: a serializer of any object takes three times as long.
        log.line(
          `"reqId":${jsonString(reqId)},"method":"${verb}","url":${jsonString(loggedUrl(url))},"statusCode":${status},` +
            name +
            (end === 'sent' ? '' : `"${end}":true,`) +
            (troubles === null ? '' : `"errors":${JSON.stringify([...troubles])},`) +
            `"ms":${decimal(milliseconds)},"stages":${stages.json()}`,
          'request',
        );
        if (details === null || milliseconds < slow || details.isStream) return;
        const about = { reqId, method: verb, url: loggedUrl(url), statusCode: status };
        const times = { ms: rounded(milliseconds), stages: JSON.parse(stages.json()) as object };
        log.warn({ ...about, ...times, ...details.details() }, 'slow request');
      },
    };
  };
}
