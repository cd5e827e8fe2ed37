import { randomBytes, randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Worker } from 'node:cluster';
import { StartupError } from '../../base/errors.ts';
import type { FromWorker, ToWorker, WorkerPlace } from './messages.ts';

/** A worker that has served for as long, in milliseconds, did not end for how it starts. */
const LONG_LIFE = 10_000;

/** How long it is waited before the second one in a row that did not live long is replaced, in milliseconds; twice as long for each further one. */
const FIRST_WAIT = 500;

/** The longest wait, in milliseconds. */
const LONGEST_WAIT = 30_000;

/** How long to wait before what has ended is started again, so that what cannot live does not keep the machine busy. */
export class Backoff {
  #failures = 0;

  /**
   * To be called when one has ended.
   * @param served for how long it was ready, in milliseconds; 0 where it never was
   * @returns in milliseconds
   */
  next(served: number): number {
    if (served >= LONG_LIFE) this.#failures = 0;
    const wait = this.#failures === 0 ? 0 : FIRST_WAIT * 2 ** (this.#failures - 1);
    this.#failures += 1;
    return Math.min(LONGEST_WAIT, wait);
  }
}

/** A process that serves, as the primary sees it: `Worker` of node:cluster is one. */
export interface WorkerProcess {
  readonly process: {
    readonly pid?: number | undefined;
    kill(signal: NodeJS.Signals): unknown;
  };
  send(message: ToWorker, done: () => void): unknown;
  on(event: 'message', listener: (message: FromWorker) => void): unknown;
  on(event: 'exit', listener: (code: number | null, signal: string | null) => void): unknown;
}

/** The part of a logger that the ends of workers are written to. */
interface Log {
  readonly info: (details: object, message: string) => void;
  readonly error: (details: object, message: string) => void;
}

/** What a primary works with. */
export interface PrimaryOptions {
  readonly count: number;
  /** Where the sockets of the workers are. */
  readonly folder: string;
  /** How long a worker may take to end when it is stopped, in seconds; then it is killed. */
  readonly endSeconds: number;
  readonly log: Log;
  readonly fork: () => WorkerProcess;
}

/** A worker could not start for a reason that nobody foresaw, and has said itself why. */
export class WorkerFailed extends Error {
  /** The code that it ended with; null where a signal ended it, and it could say nothing. */
  readonly code: number | null;

  constructor(code: number | null, signal: string | null) {
    super(`a worker was ended before it served: ${signal ?? `code ${code ?? '?'}`}`);
    this.code = code;
  }
}

/** A worker that lives. */
interface Living {
  readonly slot: number;
  readonly process: WorkerProcess;
  /** When it began to serve, in milliseconds of the steady clock; null until then. */
  readyAt: number | null;
  isDrained: boolean;
  failure: StartupError | null;
}

/**
 * Starts the processes that serve together, replaces those that end, and ends them all. The first one starts alone: what stands against it is
 * told once, and what is done at the first start is not done twice at the same time.
 */
export class Primary {
  readonly #options: PrimaryOptions;
  readonly #shared: Omit<WorkerPlace, 'slot' | 'isFirst'>;
  readonly #living = new Map<number, Living>();
  readonly #backoffs = new Map<number, Backoff>();
  readonly #waits = new Set<NodeJS.Timeout>();
  readonly #ended = new Settled<number>();
  readonly #started = new Settled<string>();
  #banner: string | null = null;
  #isServing = false;
  #isStopping = false;
  #code = 0;
  #failure: Error | null = null;

  constructor(options: PrimaryOptions) {
    this.#options = options;
    this.#shared = {
      count: options.count,
      folder: options.folder,
      secret: randomBytes(32).toString('hex'),
      uniqueId: randomUUID().replaceAll('-', '').toUpperCase(),
    };
  }

  /**
   * Resolves with the code to exit with when all have ended.
   * @throws StartupError, WorkerFailed where they could not start, or none is left and none can be started
   */
  get ended(): Promise<number> {
    return this.#ended.promise;
  }

  /**
   * Starts them.
   * @returns what a person at the terminal is told, once all serve
   * @throws what {@link ended} throws
   */
  async start(): Promise<string> {
    this.#fork(0);
    return this.#started.promise;
  }

  /** Has all finish what is in flight, and end. */
  stop(signal: NodeJS.Signals): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    if (!this.#isServing) this.#code = 1;
    for (const wait of this.#waits) clearTimeout(wait);
    for (const { process, readyAt } of this.#living.values()) {
      if (readyAt === null) process.process.kill('SIGTERM');
      else tell(process, { kind: 'stop', signal });
    }
    const kill = setTimeout(() => {
      this.#code = 1;
      for (const { process } of this.#living.values()) process.process.kill('SIGKILL');
    }, this.#options.endSeconds * 1000);
    kill.unref();
    this.#endDrained();
    this.#endWhenAlone();
  }

  /** Has all break off what is in flight. */
  breakOff(): void {
    this.#code = 1;
    for (const { process } of this.#living.values()) tell(process, { kind: 'breakOff' });
  }

  #fork(slot: number): void {
    const process = this.#options.fork();
    const living: Living = { slot, process, readyAt: null, isDrained: false, failure: null };
    this.#living.set(slot, living);
    process.on('message', (message) => this.#hear(living, message));
    process.on('exit', (code, signal) => this.#exited(living, code, signal));
  }

  #hear(living: Living, message: FromWorker): void {
    switch (message.kind) {
      case 'hello': {
        const { slot } = living;
        const isFirst = slot === 0 && this.#banner === null;
        tell(living.process, { kind: 'begin', place: { ...this.#shared, slot, isFirst } });
        return;
      }
      case 'failed':
        living.failure = new StartupError(message.problems, message.more);
        return;
      case 'ready':
        this.#ready(living, message.banner);
        return;
      case 'drained':
        living.isDrained = true;
        if (this.#isStopping) this.#endDrained();
        else tell(living.process, { kind: 'end' });
        return;
      case 'news':
        for (const { slot, process } of this.#living.values()) {
          if (slot !== living.slot) tell(process, message);
        }
    }
  }

  #ready(living: Living, banner: string): void {
    living.readyAt = performance.now();
    if (this.#isStopping) {
      tell(living.process, { kind: 'stop', signal: 'SIGTERM' });
      return;
    }
    if (this.#banner === null) {
      this.#banner = banner;
      for (let slot = 1; slot < this.#options.count; slot += 1) this.#fork(slot);
    }
    const all = [...this.#living.values()];
    const isWhole = all.length === this.#options.count;
    if (!this.#isServing && isWhole && all.every(({ readyAt }) => readyAt !== null)) {
      this.#isServing = true;
      this.#started.resolve(this.#banner);
    }
  }

  #exited(living: Living, code: number | null, signal: string | null): void {
    const { slot, process, readyAt, failure } = living;
    this.#living.delete(slot);
    if (this.#isStopping) {
      if (code !== 0 && readyAt !== null) this.#code = 1;
      this.#endDrained();
      this.#endWhenAlone();
      return;
    }
    const isAnyReady = [...this.#living.values()].some((other) => other.readyAt !== null);
    if (readyAt === null && (!this.#isServing || !isAnyReady)) {
      this.#failure = failure ?? new WorkerFailed(code, signal);
      this.stop('SIGTERM');
      return;
    }
    const served = readyAt === null ? 0 : performance.now() - readyAt;
    const wait = this.#backoffOf(slot).next(served);
    const how = { worker: slot + 1, workerPid: process.process.pid, code, signal };
    const why = failure === null ? '' : `: ${failure.message}`;
    const what = readyAt === null ? 'could not start' : 'ended';
    const when = wait === 0 ? '' : ` in ${wait} ms`;
    this.#options.log.error(how, `a worker ${what}${why}; another one is started${when}`);
    const timer = setTimeout(() => {
      this.#waits.delete(timer);
      this.#fork(slot);
    }, wait);
    this.#waits.add(timer);
  }

  #backoffOf(slot: number): Backoff {
    const backoff = this.#backoffs.get(slot) ?? new Backoff();
    this.#backoffs.set(slot, backoff);
    return backoff;
  }

  /** None ends before all are drained: until then one may have something for another. */
  #endDrained(): void {
    if (!this.#isStopping) return;
    const serving = [...this.#living.values()].filter(({ readyAt }) => readyAt !== null);
    if (!serving.every(({ isDrained }) => isDrained)) return;
    for (const { process } of serving) tell(process, { kind: 'end' });
  }

  #endWhenAlone(): void {
    if (this.#living.size > 0) return;
    if (this.#failure === null) {
      this.#ended.resolve(this.#code);
      return;
    }
    this.#started.reject(this.#failure);
    this.#ended.reject(this.#failure);
  }
}

/** A promise that somebody else settles; that nobody waits for it is not an error. */
class Settled<Result> {
  readonly promise: Promise<Result>;
  resolve!: (result: Result) => void;
  reject!: (error: Error) => void;

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.promise.catch(() => undefined);
  }
}

/** To one that has just ended there is nothing to say. */
function tell(worker: WorkerProcess, message: ToWorker): void {
  worker.send(message, () => undefined);
}

/** A connection on its way to a worker. */
interface Handle {
  readonly close: () => void;
}

/** What of the process of a worker `node:cluster` sends by and hears. */
interface WorkerChannel {
  send: (message: unknown, handle?: Handle, ...more: readonly unknown[]) => boolean;
  readonly on: (event: 'internalMessage', listener: (message: { ack?: number }) => void) => unknown;
  readonly once: (event: 'exit', listener: () => void) => unknown;
}

/**
 * Closes connections that were given to a worker which ended before it had them. `node:cluster` keeps them open in the primary, and their clients would wait until they give
 * up. Where Node.js changes how it gives connections away, this does nothing.
 */
export function closingLostConnections(worker: Worker): Worker {
  const channel = worker.process as unknown as WorkerChannel;
  const given = new Map<number, Handle>();
  const send = channel.send.bind(channel);
  channel.send = (message, handle, ...more) => {
    const { act, seq } = message as { act?: string; seq?: number };
    if (act === 'newconn' && seq !== undefined && handle !== undefined) given.set(seq, handle);
    return send(message, handle, ...more);
  };
  channel.on('internalMessage', ({ ack }) => {
    if (ack !== undefined) given.delete(ack);
  });
  channel.once('exit', () => {
    for (const handle of given.values()) handle.close();
    given.clear();
  });
  return worker;
}
