import { NOBODY, type Principal } from '../principal.ts';
import type { WriteObserver } from './writes.ts';

/** One statement that was run, without its values: they may be anybody's secrets. */
export interface StatementRun {
  /** Equal for statements of equal text, short enough for a label. */
  readonly name: string;
  readonly text: string;
  /** From handing it to the connection until its last row, in milliseconds. */
  readonly milliseconds: number;
  /** How many rows it answered; null where it failed. */
  readonly rows: number | null;
}

/** A stage of the pipeline, as logs and metrics name it. */
export type Stage =
  'admit' | 'body' | 'request' | 'plan' | 'sql' | 'values' | 'execute' | 'respond';

/**
 * Hears what happens on behalf of one request. Whoever wants to know, the log or metrics, is one of these; nothing else tells.
 * An observer does not throw, and does not wait.
 */
export interface RequestObserver {
  /** A stage was run; one may be run several times. @param milliseconds how long it took */
  readonly stageDone: (stage: Stage, milliseconds: number) => void;
  readonly statementRun: (statement: StatementRun) => void;
  /** A connection of the pool was waited for. @param milliseconds until it came, or was given up */
  readonly poolWaited: (milliseconds: number) => void;
  /** Something failed that is not the fault of the client's; the request may have been answered all the same. */
  readonly errorMet: (error: Error) => void;
  /** Hears of what is written; null where nobody does, and then nothing of it is worked out. */
  readonly writes: WriteObserver | null;
}

/** A request as it begins, as observers are told of it. */
export interface RequestBegun {
  /** The answer's `x-request-id`. */
  readonly id: string;
  readonly verb: string;
  /** The URL as it came, of any length. */
  readonly url: string;
  /** The address that it came from: the client's, or the proxy's before it. */
  readonly address: string;
}

/** How a request ended. */
export interface RequestEnded {
  /** The HTTP status of the answer; {@link CLIENT_GONE} where nobody was there to take it. */
  readonly status: number;
  /** From the arrival of its headers until its answer was sent, or its client had gone. */
  readonly milliseconds: number;
  readonly clientGone: boolean;
}

/** What stands for the status of a request whose client has gone: the number that nginx and others log for it. */
export const CLIENT_GONE = 499;

/** Hears of a request over HTTP until it has ended. */
export interface WholeRequestObserver extends RequestObserver {
  /** Told once, after everything else. */
  readonly requestEnded: (end: RequestEnded) => void;
}

/** Called when a request begins: whoever listens, listens to one request at a time. */
export type Observer = (request: RequestBegun) => WholeRequestObserver;

/** Whose leaving ends what is done, and who hears of it. */
export interface Attended {
  /** Aborted when the client has disconnected, such as when the client has gone. */
  readonly signal: AbortSignal;
  readonly observer: RequestObserver;
}

/** On whose behalf statements run. */
export interface Activity extends Attended {
  readonly principal: Principal;
}

function ignore(): void {
  // Nobody listens.
}

/** Hears nothing; whoever wants to hear of some things only says which, beside it. */
export const deaf: WholeRequestObserver = {
  stageDone: ignore,
  statementRun: ignore,
  poolWaited: ignore,
  errorMet: ignore,
  writes: null,
  requestEnded: ignore,
};

/** What the gateway does on its own behalf: nobody leaves, and nobody listens. */
export const unattended: Activity = {
  principal: NOBODY,
  signal: new AbortController().signal,
  observer: deaf,
};

/** The part of a logger that is told of what goes on. */
export interface Logger {
  readonly error: (details: object, message: string) => void;
  readonly info: (details: object, message: string) => void;
  readonly debug: (details: object, message: string) => void;
}

/** The part that requests are written to. */
export interface RequestLogger extends Pick<Logger, 'error' | 'debug'> {
  /**
   * Writes a line at level info that is JSON already.
   * @param fields its members, one at least, without the braces around them
   */
  readonly line: (fields: string, message: string) => void;
}

/**
 * Runs a stage, and tells how long it took, also where it fails.
 * @throws the reason of the signal where the client has disconnected: then the stage is not begun
 */
export function timed<Result>(
  { signal, observer }: Attended,
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

/** The same of a stage that waits for something. */
export async function timedAsync<Result>(
  { signal, observer }: Attended,
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

/** Observers as one: each hears of everything, in their order. */
export function combined(observers: readonly Observer[]): Observer {
  return (request) => {
    const all = observers.map((observe) => observe(request));
    const [only, ...more] = all;
    return only !== undefined && more.length === 0 ? only : together(all);
  };
}

function together(all: readonly WholeRequestObserver[]): WholeRequestObserver {
  const tell = (about: (observer: WholeRequestObserver) => void): void => all.forEach(about);
  return {
    stageDone: (stage, milliseconds) => tell((one) => one.stageDone(stage, milliseconds)),
    statementRun: (statement) => tell((one) => one.statementRun(statement)),
    poolWaited: (milliseconds) => tell((one) => one.poolWaited(milliseconds)),
    errorMet: (error) => tell((one) => one.errorMet(error)),
    writes: writesTogether(all.flatMap(({ writes }) => writes ?? [])),
    requestEnded: (end) => tell((one) => one.requestEnded(end)),
  };
}

function writesTogether(all: readonly WriteObserver[]): WriteObserver | null {
  const [first, ...more] = all;
  if (first === undefined || more.length === 0) return first ?? null;
  const tell = (about: (observer: WriteObserver) => void): void => all.forEach(about);
  return {
    wantsValues: (dataclass, member) => all.some((one) => one.wantsValues(dataclass, member)),
    checkWritable: () => tell((one) => one.checkWritable()),
    entitiesWritten: (principal, entities) =>
      tell((one) => one.entitiesWritten(principal, entities)),
    entitiesRefused: (principal, entities) =>
      tell((one) => one.entitiesRefused(principal, entities)),
    functionCalled: (principal, call) => tell((one) => one.functionCalled(principal, call)),
    requestRefused: (principal, request) => tell((one) => one.requestRefused(principal, request)),
  };
}
