import { performance } from 'node:perf_hooks';
import type { Worker } from 'node:cluster';
import { StartupError } from '../../base/errors.ts';
import type { Logger } from '../../base/observe/observer.ts';
import type { ReloadOutcome } from '../reload/changes.ts';
import type { FromWorker, ToWorker } from './messages.ts';
import { ReloadRounds, Round } from './reload-rounds.ts';
import { memoize } from '../../base/collections.ts';

/** A worker that has served for so long did not end because of its start, in milliseconds. */
const LONG_LIFE = 10_000;

/** The wait before the second worker in a row that ended early is replaced, in milliseconds; it doubles for each further one. */
const FIRST_WAIT = 500;

const LONGEST_WAIT = 30_000;

/** How long a worker may take to tell its metrics, in milliseconds. */
const MOST_SILENCE = 5000;

/** Decides how long to wait before a worker is replaced, so that one that cannot live does not keep the machine busy. */
export class Backoff {
  #failures = 0;

  /**
   * To be called when a worker has ended.
   * @param served how long it was ready, in milliseconds; 0 where it never was
   * @returns the wait in milliseconds
   */
  next(served: number): number {
    if (served >= LONG_LIFE) this.#failures = 0;
    const wait = this.#failures === 0 ? 0 : FIRST_WAIT * 2 ** (this.#failures - 1);
    this.#failures += 1;
    return Math.min(LONGEST_WAIT, wait);
  }
}

/** The part of `Worker` of node:cluster that the primary uses. */
export interface WorkerProcess {
  readonly process: {
    readonly pid?: number | undefined;
    kill(signal: NodeJS.Signals): unknown;
  };
  send(message: ToWorker, done: () => void): unknown;
  on(event: 'message', listener: (message: FromWorker) => void): unknown;
  on(event: 'exit', listener: (code: number | null, signal: string | null) => void): unknown;
}

/** The options of a primary. */
export interface PrimaryOptions {
  readonly count: number;
  /** How long a stopped worker may take to end, in seconds; then it is killed. */
  readonly endSeconds: number;
  readonly log: Pick<Logger, 'error'>;
  readonly fork: () => WorkerProcess;
  /** Is called once all workers serve. @param banner the first worker's, for the terminal */
  readonly onServing: (banner: string) => void;
}

/** A worker could not start for an unforeseen reason, which it has reported itself. */
export class WorkerFailed extends Error {
  /** Its exit code; null where a signal ended it, and it could report nothing. */
  readonly code: number | null;

  constructor(code: number | null, signal: string | null) {
    super(`a worker ended before it served: ${signal ?? `code ${code ?? '?'}`}`);
    this.code = code;
  }
}

/** A running worker. */
interface Living {
  readonly worker: number;
  readonly process: WorkerProcess;
  readonly send: (message: ToWorker) => void;
  /** The last round of reloads before its start. */
  readonly round: number;
  /** When it began to serve, by the steady clock; null until then. */
  readyAt: number | null;
  failure: StartupError | null;
}

/**
 * Starts the workers, replaces those that end, and ends them all. The first one starts alone, so that a problem is reported once, and the work of
 * a first start is not done by several at the same time.
 */
export class Primary {
  readonly #options: PrimaryOptions;
  readonly #living = new Map<number, Living>();
  readonly #backoffs = new Map<number, Backoff>();
  readonly #waits = new Set<NodeJS.Timeout>();
  readonly #reloads = new ReloadRounds<Living>(() => this.#serving());
  readonly #collections = new Map<number, Round<Living, unknown>>();
  #collected = 0;
  #banner: string | null = null;
  #isServing = false;
  #isStopping = false;
  #code = 0;
  #failure: Error | null = null;
  #settle: () => void = () => undefined;

  constructor(options: PrimaryOptions) {
    this.#options = options;
  }

  /**
   * Starts the workers.
   * @returns the exit code, when all have ended
   * @throws StartupError, WorkerFailed where they could not start, or none is left and none can be started
   */
  start(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#settle = () => {
        if (this.#failure === null) resolve(this.#code);
        else reject(this.#failure);
      };
      this.#fork(0);
    });
  }

  /** Has all workers finish the requests in flight, and end. */
  stop(signal: NodeJS.Signals): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    if (!this.#isServing) this.#code = 1;
    for (const wait of this.#waits) clearTimeout(wait);
    for (const { process, readyAt } of this.#living.values()) {
      if (readyAt === null) process.process.kill('SIGTERM');
      else sendTo(process, { kind: 'stop', signal });
    }
    const kill = setTimeout(() => {
      this.#code = 1;
      for (const { process } of this.#living.values()) process.process.kill('SIGKILL');
    }, this.#options.endSeconds * 1000);
    kill.unref();
    this.#endWhenAlone();
  }

  /** Has all workers read the files again. */
  async reload(): Promise<ReloadOutcome | null> {
    return this.#isStopping ? null : this.#reloads.reload();
  }

  /** Has all workers break off the requests in flight. */
  breakOff(): void {
    this.#code = 1;
    for (const { process } of this.#living.values()) sendTo(process, { kind: 'breakOff' });
  }

  #fork(worker: number): void {
    const process = this.#options.fork();
    const living: Living = {
      worker,
      process,
      send: (message) => sendTo(process, message),
      round: this.#reloads.number,
      readyAt: null,
      failure: null,
    };
    this.#living.set(worker, living);
    process.on('message', (message) => this.#take(living, message));
    process.on('exit', (code, signal) => this.#exited(living, code, signal));
  }

  #take(living: Living, message: FromWorker): void {
    switch (message.kind) {
      case 'hello': {
        const { worker } = living;
        const isFirst = worker === 0 && this.#banner === null;
        sendTo(living.process, { kind: 'begin', id: worker, isFirst });
        return;
      }
      case 'failed':
        living.failure = new StartupError(message.problems, message.more);
        return;
      case 'ready':
        this.#ready(living, message.banner);
        return;
      case 'reload':
        void this.#reloads.reload().then((outcome) => {
          if (outcome !== null) living.send({ kind: 'reloaded', id: message.id, outcome });
        });
        return;
      case 'prepared':
        this.#reloads.prepared(living, message.round, message.outcome);
        return;
      case 'collect':
        void this.#collect().then((metrics) => {
          living.send({ kind: 'collected', id: message.id, metrics });
        });
        return;
      case 'measured':
        this.#collections.get(message.round)?.reply(living, message.metrics);
    }
  }

  /** Asks all workers for their metrics. */
  async #collect(): Promise<readonly unknown[]> {
    this.#collected += 1;
    const number = this.#collected;
    const round = new Round<Living, unknown>();
    this.#collections.set(number, round);
    const ask = ({ send }: Living): void => send({ kind: 'measure', round: number });
    const metrics = await round.ask(this.#serving(), ask, MOST_SILENCE);
    this.#collections.delete(number);
    return metrics.filter((one) => one !== null);
  }

  #serving(): readonly Living[] {
    return [...this.#living.values()].filter(({ readyAt }) => readyAt !== null);
  }

  #ready(living: Living, banner: string): void {
    living.readyAt = performance.now();
    if (this.#isStopping) {
      sendTo(living.process, { kind: 'stop', signal: 'SIGTERM' });
      return;
    }
    // It may have read the files before the others read them again.
    if (living.round !== this.#reloads.number) void this.#reloads.reload();
    if (this.#banner === null) {
      this.#banner = banner;
      for (let worker = 1; worker < this.#options.count; worker += 1) this.#fork(worker);
    }
    const all = [...this.#living.values()];
    const isWhole = all.length === this.#options.count;
    if (!this.#isServing && isWhole && all.every(({ readyAt }) => readyAt !== null)) {
      this.#isServing = true;
      this.#options.onServing(this.#banner);
    }
  }

  #exited(living: Living, code: number | null, signal: string | null): void {
    const { worker, process, readyAt, failure } = living;
    this.#living.delete(worker);
    this.#reloads.left(living);
    for (const round of this.#collections.values()) round.reply(living, null);
    if (this.#isStopping) {
      if (code !== 0 && readyAt !== null) this.#code = 1;
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
    const wait = memoize(this.#backoffs, worker, () => new Backoff()).next(served);
    const how = { worker: worker + 1, workerPid: process.process.pid, code, signal };
    const why = failure === null ? '' : `: ${failure.message}`;
    const what = readyAt === null ? 'could not start' : 'ended';
    const when = wait === 0 ? '' : ` in ${wait} ms`;
    this.#options.log.error(how, `a worker ${what}${why}; starting another one${when}`);
    const timer = setTimeout(() => {
      this.#waits.delete(timer);
      this.#fork(worker);
    }, wait);
    this.#waits.add(timer);
  }

  #endWhenAlone(): void {
    if (this.#living.size === 0) this.#settle();
  }
}

/** Sends a message; one to a worker that has just ended is lost. */
function sendTo(worker: WorkerProcess, message: ToWorker): void {
  worker.send(message, () => undefined);
}

/** A connection on its way to a worker. */
interface Handle {
  readonly close: () => void;
}

/** How `node:cluster` sends to a worker's process. */
interface WorkerChannel {
  send: (message: unknown, handle?: Handle, ...more: readonly unknown[]) => boolean;
  readonly on: (event: 'internalMessage', listener: (message: { ack?: number }) => void) => unknown;
  readonly once: (event: 'exit', listener: () => void) => unknown;
}

/**
 * Closes connections that were sent to a worker which ended before it got them: `node:cluster` would keep them open in the primary, and their
 * clients would wait. Where Node.js changes its way to send connections, this has no effect.
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
