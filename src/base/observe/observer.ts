import { NOBODY, type Principal } from '../principal.ts';
import type { WriteObserver } from './writes.ts';

/** A statement that was run, without its values, which may be secret. */
export interface StatementRun {
  /** Equal for statements of equal text, short enough for a label. */
  readonly name: string;
  readonly text: string;
  /** From its start on the connection until its last row. */
  readonly milliseconds: number;
  /** How many rows it returned; null where it failed. */
  readonly rows: number | null;
  /** Why it failed; left out where it did not. */
  readonly failure?: StatementFailure;
}

/** The database refused it or was lost, it took too long, or its client disconnected. */
export type StatementFailure = 'error' | 'timeout' | 'clientGone';

/** A stage of the pipeline, as logs and metrics name it. */
export type Stage =
  'admit' | 'body' | 'request' | 'plan' | 'sql' | 'values' | 'execute' | 'respond';

/** The operation and the dataclass of a request, known once its URL is parsed. */
export interface NamedRequest {
  /** The kind of request, such as `read` or `save`. */
  readonly operation: string;
  /** The dataclass that the URL names, which the model may not have; null for none. */
  readonly dataclass: string | null;
  /** Describes the query as `$queryplan` does, without values; null where there is nothing to describe. This plans the request once more. */
  readonly describe?: () => string | null;
}

/** Observes one request, for the log, metrics or traces. An observer does not throw, and does not wait. */
export interface RequestObserver {
  /** Called once for a request that is understood. Left out by an observer that does not need it. */
  readonly requestNamed?: ((request: NamedRequest) => void) | undefined;
  /** A stage was run; a stage may be run several times. */
  readonly stageDone: (stage: Stage, milliseconds: number) => void;
  readonly statementRun: (statement: StatementRun) => void;
  /** The request waited for a connection of the pool, with or without success. */
  readonly poolWaited: (milliseconds: number) => void;
  /** Something failed that is not the client's fault; the request may still be answered. */
  readonly errorMet: (error: Error) => void;
  /** Something of the request is for its author or an operator to look at. The text has no values. Left out by an observer that does not need it. */
  readonly warned?: ((warning: string) => void) | undefined;
  /** Null where writes are not observed, so that nothing is prepared for it. */
  readonly writes: WriteObserver | null;
  /** Makes the headers by which an application continues the request's trace. Left out by an observer that does not trace. */
  readonly traceHeaders?: (() => Readonly<Record<string, string>>) | undefined;
}

export interface RequestBegun {
  /** The `x-request-id` of the answer. */
  readonly id: string;
  readonly verb: string;
  /** The URL as received, of any length. */
  readonly url: string;
  /** The address of the client, or of the proxy before the gateway. */
  readonly address: string;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** How a request ends: its answer is sent, its client disconnects before, or an error breaks off the answer whose beginning was sent with another status. */
export type RequestEnd = 'sent' | 'clientGone' | 'brokenOff';

export interface RequestEnded {
  /** The HTTP status; {@link CLIENT_GONE} where the client had disconnected, and that of the error where the answer was broken off. */
  readonly status: number;
  /** From the arrival of the headers until the end. */
  readonly milliseconds: number;
  readonly end: RequestEnd;
}

/** The status of a request whose client disconnected, as nginx and others log it. */
export const CLIENT_GONE = 499;

export interface WholeRequestObserver extends RequestObserver {
  /** Called last, and once. */
  readonly requestEnded: (end: RequestEnded) => void;
}

/** Called when a request begins. @returns the observer of that request */
export type Observer = (request: RequestBegun) => WholeRequestObserver;

/** Makes the observer of a request's writes. */
export type ObserveWrites = (request: RequestBegun) => WriteObserver;

export interface ObservedRequest {
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  readonly observer: RequestObserver;
}

export interface RequestContext extends ObservedRequest {
  readonly principal: Principal;
}

function ignore(): void {
  // Nobody observes.
}

/** An observer that does some things itself, and leaves the others to another one. */
export function overriding(
  observer: RequestObserver,
  own: Pick<Partial<RequestObserver>, 'statementRun' | 'writes'>,
): RequestObserver {
  const { statementRun, writes } = own;
  return {
    stageDone: (stage, milliseconds) => observer.stageDone(stage, milliseconds),
    statementRun: statementRun ?? ((statement) => observer.statementRun(statement)),
    poolWaited: (milliseconds) => observer.poolWaited(milliseconds),
    errorMet: (error) => observer.errorMet(error),
    warned: (warning) => observer.warned?.(warning),
    writes: writes ?? observer.writes,
  };
}

export const noObserver: WholeRequestObserver = {
  stageDone: ignore,
  statementRun: ignore,
  poolWaited: ignore,
  errorMet: ignore,
  writes: null,
  requestEnded: ignore,
};

/** For the gateway's own work: there is no client, and no observer. */
export const gatewayContext: RequestContext = {
  principal: NOBODY,
  signal: new AbortController().signal,
  observer: noObserver,
};

export interface Logger {
  readonly error: (details: object, message: string) => void;
  readonly info: (details: object, message: string) => void;
  readonly debug: (details: object, message: string) => void;
}

export interface RequestLogger extends Pick<Logger, 'error' | 'debug'> {
  readonly warn: (details: object, message: string) => void;
  /** Writes a line at level info. @param fields its members as JSON, one at least, without the braces */
  readonly line: (fields: string, message: string) => void;
}

/** Runs a stage and reports how long it took, also where it fails. @throws the signal's reason, before the stage */
export function timed<Result>(
  { signal, observer }: ObservedRequest,
  stage: Stage,
  work: () => Result,
): Result {
  signal.throwIfAborted();
  const start = performance.now();
  try {
    return work();
  } finally {
    observer.stageDone(stage, performance.now() - start);
  }
}

/** Runs an asynchronous stage as {@link timed} does. */
export async function timedAsync<Result>(
  { signal, observer }: ObservedRequest,
  stage: Stage,
  work: () => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const start = performance.now();
  try {
    return await work();
  } finally {
    observer.stageDone(stage, performance.now() - start);
  }
}

/** Combines observers: each hears of every request. The writes and the trace of a request are those of the first observer that has them. */
export function combined([first, ...others]: readonly [Observer, ...Observer[]]): Observer {
  return others.reduce((one, other) => (request) => new Pair(one(request), other(request)), first);
}

/** Two observers of a request. There is one for each request: methods take no time to make, as closures would. */
class Pair implements WholeRequestObserver {
  readonly writes: WriteObserver | null;
  readonly #one: WholeRequestObserver;
  readonly #other: WholeRequestObserver;

  constructor(one: WholeRequestObserver, other: WholeRequestObserver) {
    this.writes = one.writes ?? other.writes;
    this.#one = one;
    this.#other = other;
  }

  requestNamed(request: NamedRequest): void {
    this.#one.requestNamed?.(request);
    this.#other.requestNamed?.(request);
  }

  stageDone(stage: Stage, milliseconds: number): void {
    this.#one.stageDone(stage, milliseconds);
    this.#other.stageDone(stage, milliseconds);
  }

  statementRun(statement: StatementRun): void {
    this.#one.statementRun(statement);
    this.#other.statementRun(statement);
  }

  poolWaited(milliseconds: number): void {
    this.#one.poolWaited(milliseconds);
    this.#other.poolWaited(milliseconds);
  }

  errorMet(error: Error): void {
    this.#one.errorMet(error);
    this.#other.errorMet(error);
  }

  warned(warning: string): void {
    this.#one.warned?.(warning);
    this.#other.warned?.(warning);
  }

  traceHeaders(): Readonly<Record<string, string>> {
    return { ...this.#other.traceHeaders?.(), ...this.#one.traceHeaders?.() };
  }

  requestEnded(end: RequestEnded): void {
    this.#one.requestEnded(end);
    this.#other.requestEnded(end);
  }
}

/** How long each stage of a request took. */
export class StageTimes {
  readonly #stages: Stage[] = [];
  readonly #milliseconds: number[] = [];

  add(stage: Stage, milliseconds: number): void {
    const index = this.#stages.indexOf(stage);
    if (index === -1) {
      this.#stages.push(stage);
      this.#milliseconds.push(milliseconds);
    } else {
      this.#milliseconds[index] = (this.#milliseconds[index] ?? 0) + milliseconds;
    }
  }

  /** The milliseconds of each stage, in the order in which they began, as a JSON object. */
  json(): string {
    const timed = this.#stages.map(
      (stage, index) => `"${stage}":${decimal(this.#milliseconds[index] ?? 0)}`,
    );
    return `{${timed.join(',')}}`;
  }
}

/** Milliseconds to the microsecond. */
export function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}

/** The decimals of each number of microseconds. */
const FRACTIONS = Array.from(
  { length: 1000 },
  (_, microseconds) => `.${String(microseconds).padStart(3, '0')}`,
);

/** Milliseconds as JSON, to the microsecond: printing the fraction takes as long as the rest of the line. */
export function decimal(milliseconds: number): string {
  const microseconds = Math.round(milliseconds * 1000);
  return `${Math.floor(microseconds / 1000)}${FRACTIONS[microseconds % 1000] ?? ''}`;
}
