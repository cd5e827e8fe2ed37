import { Worker } from 'node:worker_threads';
import { bufferOf } from '../../base/text.ts';
import type { ResultSet } from '../database.ts';
import { type DriverCommand, MOST_RESULT_BYTES, resultTooLarge } from '../driver.ts';
import { type DriverValue, EncodedText, LONG_TEXT, UndecodedText, utf8 } from '../long-text.ts';

const START: StartId = 0;

/** How long closing the files may take, in milliseconds; what is broken off then is mended when they are opened the next time. */
const CLOSING = 10_000;

interface Waiting {
  readonly resolve: (part: Part) => void;
  readonly reject: (error: Error) => void;
}

/**
 * PostgreSQL in a thread of its own, so that its statements hold nobody else up. When it has ended, by itself or because it was ended, it stays so: what it
 * was working on fails, and another one may open its folder as soon as {@link ended} resolves.
 */
export class Engine {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #asked: number = START;
  #cause: Error | null = null;
  /** Resolves when the thread has ended, and nothing of it works on the files any more. */
  readonly ended: Promise<void>;

  private constructor(folder: string | null) {
    const data: WorkerData = { folder, mostBytes: MOST_RESULT_BYTES, longText: LONG_TEXT };
    this.#worker = new Worker(new URL('./worker.js', import.meta.url), {
      workerData: data,
      name: 'pglite',
    });
    this.#worker.on('message', (reply: Reply) => {
      this.#take(reply);
    });
    // An exit follows.
    this.#worker.on('error', (error) => {
      this.#cause ??= lost(error);
    });
    this.ended = new Promise((resolve) => {
      this.#worker.once('exit', (code) => {
        const cause = (this.#cause ??= lost(new Error(`its thread ended with ${code}`)));
        for (const { reject } of this.#waiting.values()) reject(cause);
        this.#waiting.clear();
        resolve();
      });
    });
  }

  /**
   * Starts PostgreSQL, on a folder or in memory.
   * @throws what it says where it does not start
   */
  static async start(folder: string | null): Promise<Engine> {
    const engine = new Engine(folder);
    try {
      await engine.#wait(START);
    } catch (error) {
      await engine.end(error as Error);
      throw error;
    }
    return engine;
  }

  /** Whether it works on something. */
  get isBusy(): boolean {
    return this.#waiting.size > 0;
  }

  /** Whether it cannot be used any more. */
  get isOver(): boolean {
    return this.#cause !== null;
  }

  /** Runs a statement; cells are PostgreSQL's text, or null. Rows come over in parts, between which others have their turn. */
  async query({ statement, values }: DriverCommand): Promise<ResultSet> {
    const id = this.#asked + 1;
    const { columns, rows, hasMore, isTooLarge } = await this.#ask({
      kind: 'query',
      text: statement.text,
      values: values.map(own),
    });
    if (isTooLarge === true) throw resultTooLarge();
    leaveUndecoded(rows);
    for (let isLast = !hasMore; !isLast;) {
      const part = await this.#ask({ kind: 'more', query: id });
      leaveUndecoded(part.rows);
      for (const row of part.rows) rows.push(row);
      isLast = !part.hasMore;
    }
    return { columns, rows };
  }

  /** Runs a script of statements. */
  async exec(script: string): Promise<void> {
    await this.#ask({ kind: 'exec', script });
  }

  /**
   * Ends it at once. What it is working on fails with the cause; what was committed is in its files, and nothing else.
   * @returns when the thread has ended
   */
  async end(cause: Error): Promise<void> {
    this.#cause ??= cause;
    // An event loop that has nothing else to do would not wait for it.
    this.#worker.ref();
    await this.#worker.terminate();
  }

  /** Closes the files, and ends it; what it is working on is broken off. */
  async close(): Promise<void> {
    const closed = lost(new Error('the gateway closed it'));
    if (this.isOver || this.isBusy) return this.end(closed);
    const timer = setTimeout(() => void this.end(closed), CLOSING);
    // Files that cannot be closed are those of a database that was broken off.
    await this.#ask({ kind: 'close' }).catch(() => undefined);
    clearTimeout(timer);
    await this.end(closed);
  }

  #ask(task: Task): Promise<Part> {
    if (this.#cause !== null) {
      return Promise.reject(new Error('The embedded database is closed.', { cause: this.#cause }));
    }
    const id = (this.#asked += 1);
    const question: Question = { id, task };
    this.#worker.postMessage(question, task.kind === 'query' ? buffersOf(task.values) : []);
    return this.#wait(id);
  }

  /** A thread that has nothing to do does not keep the process from ending. */
  async #wait(id: number): Promise<Part> {
    this.#worker.ref();
    try {
      return await new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    } finally {
      if (!this.isBusy) this.#worker.unref();
    }
  }

  #take(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id);
    if (waiting === undefined) return;
    // What was done before the thread could be ended is done. Who waits for something else is told when the thread has ended.
    if ('error' in reply && reply.error.isEnd) {
      void this.end(lost(errorOf(reply.error)));
      return;
    }
    this.#waiting.delete(reply.id);
    if ('part' in reply) waiting.resolve(reply.part);
    else waiting.reject(errorOf(reply.error));
  }
}

function errorOf({ message, fields }: ReportedError): Error {
  return Object.assign(new Error(message), fields);
}

/** What a thread has ended by, for what was sent to it: it may have been done, or not. */
export function lost(cause: Error): Error {
  return new Error(`The embedded database was terminated: ${cause.message}`, { cause });
}

/** A value that can be handed over. */
function own(value: DriverValue): string | Uint8Array | Utf8Pieces | null {
  if (value instanceof EncodedText) return { utf8: value.pieces.map(ownBytes) };
  return value instanceof Uint8Array ? ownBytes(value) : value;
}

/** Bytes in a buffer of their own; who gave them may need theirs again. */
function ownBytes(value: Uint8Array): Uint8Array {
  return new Uint8Array(value);
}

function buffersOf(values: readonly ReturnType<typeof own>[]): ArrayBuffer[] {
  return values.flatMap((value) => {
    if (value === null || typeof value === 'string') return [];
    const pieces = value instanceof Uint8Array ? [value] : value.utf8;
    return pieces.map(({ buffer }) => buffer as ArrayBuffer);
  });
}

/** Long texts come as bytes. */
function leaveUndecoded(rows: unknown[][]): void {
  for (const row of rows) {
    for (let column = 0; column < row.length; column += 1) {
      const cell = row[column];
      if (typeof cell !== 'object' || !(cell instanceof Uint8Array)) continue;
      row[column] = new UndecodedText([bufferOf(cell)], utf8);
    }
  }
}

/** A long text of a parameter, in UTF-8. */
interface Utf8Pieces {
  readonly utf8: readonly Uint8Array[];
}

/** What the embedded database is asked to do in its worker. */
export type Task =
  | {
      readonly kind: 'query';
      readonly text: string;
      readonly values: readonly (string | Uint8Array | Utf8Pieces | null)[];
    }
  /** The next rows of a query, by its {@link Question.id}. */
  | { readonly kind: 'more'; readonly query: number }
  /** A script of statements, of which nothing is answered. */
  | { readonly kind: 'exec'; readonly script: string }
  | { readonly kind: 'close' };

/** What goes to the worker. */
export interface Question {
  readonly id: number;
  readonly task: Task;
}

/** What comes of a task; of what is not a query it is empty. */
export interface Part {
  readonly columns: string[];
  /** Texts, nulls, and long texts as bytes in UTF-8, which are handed over and not copied. */
  readonly rows: unknown[][];
  /** Whether there are rows that have to be asked for. */
  readonly hasMore: boolean;
  /** Whether there are more than may be held at once; left out where there are not. */
  readonly isTooLarge?: boolean;
}

/** An error as it comes from the worker: what PostgreSQL, the file system or JavaScript says of it. */
export interface ReportedError {
  readonly message: string;
  readonly fields: Readonly<Record<string, string | number>>;
  /** Whether the database cannot be used any more. */
  readonly isEnd: boolean;
}

/** What comes from the worker. */
type Reply =
  | { readonly id: number; readonly part: Part }
  | { readonly id: number; readonly error: ReportedError };

/** What a worker is started with. */
export interface WorkerData {
  /** The folder of the database's files; null to keep none. */
  readonly folder: string | null;
  /** How much the rows of one query may hold; of more nothing is answered but {@link Part.isTooLarge}. */
  readonly mostBytes: number;
  /** How long a text is that goes over as bytes, in characters. */
  readonly longText: number;
}

/** The {@link Question.id} of the start itself, which nobody has to ask for. */
export type StartId = 0;
