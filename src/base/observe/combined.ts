import type {
  NamedRequest,
  Observer,
  RequestEnded,
  Stage,
  StatementRun,
  WholeRequestObserver,
} from './observer.ts';
import type { WriteObserver } from './writes.ts';

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
