import { fork } from 'node:child_process';
import type { EventEmitter } from 'node:events';
import { Worker } from 'node:worker_threads';
import { bufferOf } from '../../base/text.ts';
import type { ResultSet } from '../database.ts';
import { type DriverCommand, MOST_RESULT_BYTES, resultTooLarge } from '../driver.ts';
import { type DriverValue, EncodedText, LONG_TEXT, UndecodedText, utf8 } from '../long-text.ts';

/** The {@link Question.id} of the start. */
const START = 0;

/** How long closing the files may take, in milliseconds; after an abrupt end they are repaired when they are opened. */
const CLOSING = 10_000;

/** The most that V8 takes for new objects in the thread, in MB; by default it takes 48. */
const YOUNG_HEAP = 6;

/** The thread in which PostgreSQL runs, or a process with its methods. */
type Runner = EventEmitter & {
  readonly ref: () => void;
  readonly unref: () => void;
  readonly postMessage: (question: Question, transferred: ArrayBuffer[]) => void;
  readonly terminate: () => unknown;
};

function startThread(data: WorkerData): Runner {
  return new Worker(new URL('./worker.js', import.meta.url), {
    workerData: data,
    name: 'pglite',
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_HEAP },
  });
}

function startProcess(data: WorkerData): Runner {
  const child = fork(new URL('./worker-process.js', import.meta.url), [JSON.stringify(data)], {
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  return Object.assign(child, {
    // If it cannot be sent, the process has ended.
    postMessage: (question: Question) => child.send(question, () => undefined),
    terminate: () => child.kill('SIGKILL'),
  });
}

/**
 * PostgreSQL in a thread of its own, so that its statements do not block the event loop, or in a process, whose end gives all of its memory back.
 * Its end is final: running work fails, and another engine may open its folder when {@link ended} resolves.
 */
export class Engine {
  readonly #runner: Runner;
  readonly #waiting = new Map<
    number,
    { readonly resolve: (part: Part) => void; readonly reject: (error: Error) => void }
  >();
  #lastId = START;
  #cause: Error | null = null;
  /** Resolves when the thread or process has ended, and no longer uses the files. */
  readonly ended: Promise<void>;

  private constructor(runner: Runner) {
    this.#runner = runner;
    runner.on('message', (reply: Reply) => this.#take(reply));
    // An end follows.
    runner.on('error', (error: Error) => {
      this.#cause ??= lost(error);
    });
    this.ended = new Promise((resolve) => {
      const end = (code: unknown): void => {
        const cause = (this.#cause ??= lost(new Error(`it ended with ${String(code)}`)));
        for (const { reject } of this.#waiting.values()) reject(cause);
        this.#waiting.clear();
        resolve();
      };
      runner.once('exit', end);
      // A process that could not be started has no exit.
      runner.once('close', end);
    });
  }

  /** Starts PostgreSQL in a thread, on a folder or in memory. @throws PostgreSQL's error if it does not start */
  static start(folder: string | null): Promise<Engine> {
    return Engine.#whenStarted(startThread(dataFor(folder)));
  }

  /** Starts PostgreSQL in a process, to make and fill a folder. @throws PostgreSQL's error if it does not start */
  static startProcess(folder: string): Promise<Engine> {
    return Engine.#whenStarted(startProcess(dataFor(folder)));
  }

  static async #whenStarted(runner: Runner): Promise<Engine> {
    const engine = new Engine(runner);
    try {
      await engine.#wait(START);
    } catch (error) {
      await engine.end(error as Error);
      throw error;
    }
    return engine;
  }

  get isBusy(): boolean {
    return this.#waiting.size > 0;
  }

  get isOver(): boolean {
    return this.#cause !== null;
  }

  /** Runs a statement; cells are PostgreSQL's text, or null. Rows come in parts, so that they do not block the event loop. */
  async query({ statement, values }: DriverCommand): Promise<ResultSet> {
    const query = this.#lastId + 1;
    const task: Task = { kind: 'query', text: statement.text, values: values.map(transferable) };
    const { columns, rows, isTooLarge, ...first } = await this.#ask(task);
    if (isTooLarge === true) throw resultTooLarge();
    for (let { hasMore } = first; hasMore;) {
      const part = await this.#ask({ kind: 'more', query });
      for (const row of part.rows) rows.push(row);
      ({ hasMore } = part);
    }
    return { columns, rows };
  }

  /** Runs a script of statements. */
  async exec(script: string): Promise<void> {
    await this.#ask({ kind: 'exec', script });
  }

  /** Ends it at once. Running work fails with the cause; only what was committed is in its files. @returns when the thread has ended */
  async end(cause: Error): Promise<void> {
    this.#cause ??= cause;
    // An idle event loop would not wait for it.
    this.#runner.ref();
    this.#runner.terminate();
    await this.ended;
  }

  /** Closes the files, and ends it; running work fails. */
  async close(): Promise<void> {
    const closed = lost(new Error('the gateway closed it'));
    if (this.isOver || this.isBusy) return this.end(closed);
    const timer = setTimeout(() => void this.end(closed), CLOSING);
    // Files that cannot be closed are repaired when they are opened.
    await this.#ask({ kind: 'close' }).catch(() => undefined);
    clearTimeout(timer);
    await this.end(closed);
  }

  #ask(task: Task): Promise<Part> {
    if (this.#cause !== null) {
      return Promise.reject(new Error('The embedded database is closed.', { cause: this.#cause }));
    }
    const id = (this.#lastId += 1);
    const question: Question = { id, task };
    this.#runner.postMessage(question, task.kind === 'query' ? buffersOf(task.values) : []);
    return this.#wait(id);
  }

  /** Waits for an answer. An idle thread does not keep the process alive. */
  async #wait(id: number): Promise<Part> {
    this.#runner.ref();
    try {
      return await new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    } finally {
      if (!this.isBusy) this.#runner.unref();
    }
  }

  #take(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id);
    if (waiting === undefined) return;
    // Other work fails when the thread has ended.
    if ('error' in reply && reply.error.isEnd) {
      void this.end(lost(errorOf(reply.error)));
      return;
    }
    this.#waiting.delete(reply.id);
    if ('error' in reply) waiting.reject(errorOf(reply.error));
    else {
      // Long texts come as bytes.
      for (const row of reply.part.rows) {
        for (let column = 0; column < row.length; column += 1) {
          const cell = row[column];
          if (!(cell instanceof Uint8Array)) continue;
          row[column] = new UndecodedText([bufferOf(cell)], utf8);
        }
      }
      waiting.resolve(reply.part);
    }
  }
}

function dataFor(folder: string | null): WorkerData {
  return { folder, mostBytes: MOST_RESULT_BYTES, longText: LONG_TEXT };
}

function errorOf({ message, fields }: ReportedError): Error {
  return Object.assign(new Error(message), fields);
}

/** The error for work that may have been done before the thread ended. */
export function lost(cause: Error): Error {
  return new Error(`The embedded database was terminated: ${cause.message}`, { cause });
}

/** A value for the worker, with copies of its bytes: they are transferred. */
function transferable(value: DriverValue): TaskValue {
  if (value instanceof EncodedText) return { utf8: value.pieces.map((one) => new Uint8Array(one)) };
  return value instanceof Uint8Array ? new Uint8Array(value) : value;
}

function buffersOf(values: readonly TaskValue[]): ArrayBuffer[] {
  return values.flatMap((value) => {
    if (value === null || typeof value === 'string') return [];
    const pieces = value instanceof Uint8Array ? [value] : value.utf8;
    return pieces.map(({ buffer }) => buffer as ArrayBuffer);
  });
}

/** The value of a parameter; a long text is bytes in UTF-8. */
export type TaskValue = string | Uint8Array | { readonly utf8: readonly Uint8Array[] } | null;

/** The work of the worker. */
export type Task =
  | { readonly kind: 'query'; readonly text: string; readonly values: readonly TaskValue[] }
  /** The next rows of a query, by its {@link Question.id}. */
  | { readonly kind: 'more'; readonly query: number }
  /** A script of statements without a result. */
  | { readonly kind: 'exec'; readonly script: string }
  | { readonly kind: 'close' };

/** A message to the worker. */
export interface Question {
  readonly id: number;
  readonly task: Task;
}

/** The result of a task, or a part of it; empty if the task is not a query. */
export interface Part {
  readonly columns: string[];
  /** Texts, nulls, and long texts as bytes in UTF-8, which are transferred. */
  readonly rows: unknown[][];
  /** Whether there are more rows to ask for. */
  readonly hasMore: boolean;
  /** Whether the rows are more than {@link WorkerData.mostBytes}, and therefore left out. */
  readonly isTooLarge?: boolean;
}

/** An error of PostgreSQL, the file system or JavaScript. */
export interface ReportedError {
  readonly message: string;
  readonly fields: Readonly<Record<string, string | number>>;
  /** Whether the database cannot be used any more. */
  readonly isEnd: boolean;
}

/** A message from the worker. */
type Reply =
  | { readonly id: number; readonly part: Part }
  | { readonly id: number; readonly error: ReportedError };

export interface WorkerData {
  /** The folder of the database's files; null for none. */
  readonly folder: string | null;
  /** The most bytes of the rows of a query. */
  readonly mostBytes: number;
  /** The length from which on a text is sent as bytes, in characters. */
  readonly longText: number;
}
