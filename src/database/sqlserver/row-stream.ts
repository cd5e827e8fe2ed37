import { EventEmitter } from 'node:events';
import type { Readable } from 'node:stream';
import type { Request } from 'tedious';
import type { Row } from '../database.ts';
import { type Bytes, cellReader, type CellReader } from './cell-readers.ts';
import {
  type ColumnMetadata,
  isCancelled,
  missingBytes,
  notEnough,
  type ParserOptions,
  readColumns,
  requestOf,
  skipReturnValue,
  TOKEN,
  type TokenHandler,
  tokenParsers,
} from './driver-internals.ts';
import type { Statement } from '../../sql/ir/statement.ts';

/** The receiver of the rows of a request, and the shape of its statement. */
export interface AskedRows {
  readonly taker: RowTaker;
  readonly shape: RowShape;
}

const askedBy = new WeakMap<object, AskedRows>();

const shapes = new WeakMap<Statement, RowShape>();

/** Sends the rows of a request to a receiver: those of a {@link RowStream}, or of the driver's own events where the connection has none. */
export function takeRows(request: Request, statement: Statement, taker: RowTaker): void {
  let shape = shapes.get(statement);
  if (shape === undefined) {
    shape = { columns: null };
    shapes.set(statement, shape);
  }
  const take = (row: Row): void => {
    if (!isCancelled(request)) taker.take(row);
  };
  askedBy.set(request, { taker: { ...taker, take }, shape });
  const events: EventEmitter = request;
  events.on('columnMetadata', (columns: readonly ColumnMetadata[]) => {
    taker.begin(
      columns.map(({ colName }) => colName),
      columns,
    );
  });
  events.on('row', (cells: readonly { readonly value: unknown }[]) => {
    taker.take(cells.map(({ value }) => value));
  });
}

/** The receiver of the rows of a handler's request; null if it is the driver itself. */
export function rowsAskedBy(handler: TokenHandler): AskedRows | null {
  const request = requestOf(handler);
  return (request === undefined ? undefined : askedBy.get(request)) ?? null;
}

/** How much the last chunk may exceed the wanted bytes: more than a packet. */
const MARGIN = 65_536;

/** The most bytes that are reserved, whatever length the server announces. */
const MOST = 268_435_456;

/** Joins chunks of a long value. Each is copied as it comes: copying all at once would block the event loop. */
export class Gathering {
  readonly #bytes: Buffer;
  #length = 0;

  /** @param wanted the length of all chunks, with the first one */
  constructor(first: Buffer, wanted: number) {
    this.#bytes = Buffer.allocUnsafe(Math.max(first.length, Math.min(wanted, MOST)) + MARGIN);
    this.add(first);
  }

  get length(): number {
    return this.#length;
  }

  /** Adds a chunk, if there is room for it. */
  add(chunk: Buffer): boolean {
    if (this.#length + chunk.length > this.#bytes.length) return false;
    this.#length += chunk.copy(this.#bytes, this.#length);
    return true;
  }

  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }
}

/** Receives the rows of a request. */
interface RowTaker {
  /** Called when a result begins. @param names of its columns */
  readonly begin: (names: readonly string[], metadata: readonly ColumnMetadata[]) => void;
  readonly take: (row: Row) => void;
}

/** The columns of a result, with their bytes, so that the same bytes are not parsed twice. */
export interface KnownColumns {
  readonly bytes: Buffer;
  readonly names: readonly string[];
  readonly metadata: readonly ColumnMetadata[];
  readonly readers: readonly CellReader[];
}

/** The columns of the last run of a statement. */
export interface RowShape {
  columns: KnownColumns | null;
}

/** The length from which on the same length again is waited for, in bytes, so that long values are not joined again and again. */
const LONG = 65_536;

const NOTHING: Buffer = Buffer.alloc(0);

/**
 * Reads the answer to a request, in place of the driver's own parser, with its interface: the events `end` and `error`. It passes all tokens but
 * rows to the driver's handler, and rows, read without a stream of promises, to their receiver.
 */
export class RowStream extends EventEmitter {
  readonly #message: Readable;
  readonly #handler: TokenHandler;
  readonly #options: ParserOptions;
  readonly #rows: RowTaker;
  readonly #shape: RowShape;
  readonly #bytes: { buffer: Buffer; at: number } & Bytes = { buffer: NOTHING, at: 0 };
  /** The bytes of a long token. */
  #gathering: Gathering | null = null;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  /** The bytes that the next token needs. */
  #wanted = 0;
  #columns: KnownColumns | null = null;
  #isPaused = false;
  #hasCome = false;
  #isOver = false;

  constructor(
    message: Readable,
    handler: TokenHandler,
    options: ParserOptions,
    { taker, shape }: AskedRows,
  ) {
    super();
    this.#message = message;
    this.#handler = handler;
    this.#options = options;
    this.#rows = taker;
    this.#shape = shape;
    message.on('data', (chunk: Buffer) => {
      if (this.#waiting.length > 0 || this.#gathering?.add(chunk) !== true) {
        this.#waiting.push(chunk);
        this.#waitingBytes += chunk.length;
      }
      this.#read();
    });
    message.on('end', () => {
      this.#hasCome = true;
      this.#read();
    });
    message.on('error', (error) => {
      this.#fail(error);
    });
  }

  /** Reads no further until {@link resume}. */
  pause(): void {
    this.#isPaused = true;
    this.#message.pause();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#message.resume();
    // The caller may not be ready for rows yet.
    queueMicrotask(() => {
      this.#read();
    });
  }

  /** Reads all complete tokens. */
  #read(): void {
    if (this.#isPaused || this.#isOver) return;
    const bytes = this.#bytes;
    const left = this.#gathering?.length ?? bytes.buffer.length - bytes.at;
    if (left + this.#waitingBytes < this.#wanted && !this.#hasCome) return;
    if (this.#gathering !== null) {
      bytes.buffer = this.#gathering.bytes();
      bytes.at = 0;
      this.#gathering = null;
    }
    if (this.#waiting.length > 0) {
      const [only = NOTHING] = this.#waiting;
      bytes.buffer =
        left === 0 && this.#waiting.length === 1
          ? only
          : Buffer.concat([bytes.buffer.subarray(bytes.at), ...this.#waiting]);
      bytes.at = 0;
      this.#waiting = [];
      this.#waitingBytes = 0;
    }
    let start = bytes.at;
    try {
      while (bytes.at < bytes.buffer.length && !this.#pausing()) {
        start = bytes.at;
        this.#readToken();
      }
    } catch (error) {
      const end = missingBytes(error);
      if (end === null || this.#hasCome) {
        this.#fail(end === null ? (error as Error) : new Error('the answer ended too early'));
        return;
      }
      bytes.at = start;
      const there = bytes.buffer.length - start;
      this.#wanted = Math.max(end - start, there > LONG ? 2 * there : 0);
      if (this.#wanted > LONG) {
        this.#gathering = new Gathering(bytes.buffer.subarray(start), this.#wanted);
        bytes.buffer = NOTHING;
        bytes.at = 0;
      }
      return;
    }
    this.#wanted = 0;
    if (this.#hasCome && bytes.at === bytes.buffer.length) {
      this.#isOver = true;
      this.emit('end');
    }
  }

  /** A method, because the compiler takes a field for unchanged by the calls of a loop. */
  #pausing(): boolean {
    return this.#isPaused;
  }

  #readToken(): void {
    const bytes = this.#bytes;
    const type = bytes.buffer[bytes.at] ?? 0;
    switch (type) {
      case TOKEN.row: {
        const { readers } = this.#known();
        bytes.at += 1;
        const row: unknown[] = [];
        for (const read of readers) row.push(read(bytes));
        this.#rows.take(row);
        return;
      }
      case TOKEN.rowWithNulls:
        this.#readRowWithNulls();
        return;
      case TOKEN.columns:
        this.#readColumns();
        return;
      case TOKEN.returnValue:
        bytes.at = skipReturnValue(bytes.buffer, bytes.at + 1, this.#options);
        return;
      default: {
        const parse = tokenParsers.get(type);
        if (parse === undefined) throw new Error(`there is no token of the type ${type}`);
        const { value, offset } = parse(bytes.buffer, bytes.at + 1, this.#options);
        bytes.at = offset;
        if (value !== undefined) this.#handler[value.handlerName]?.(value);
      }
    }
  }

  /** A bit for each column tells whether it is null and has no value (MS-TDS 2.2.7.14). */
  #readRowWithNulls(): void {
    const { readers } = this.#known();
    const bytes = this.#bytes;
    const bits = bytes.at + 1;
    bytes.at = bits + Math.ceil(readers.length / 8);
    if (bytes.at > bytes.buffer.length) throw notEnough(bytes.at);
    const row: unknown[] = [];
    readers.forEach((read, index) => {
      const isNull = (((bytes.buffer[bits + (index >> 3)] ?? 0) >> (index & 7)) & 1) === 1;
      row.push(isNull ? null : read(bytes));
    });
    this.#rows.take(row);
  }

  #readColumns(): void {
    const bytes = this.#bytes;
    const start = bytes.at + 1;
    const kept = this.#shape.columns;
    if (
      kept !== null &&
      bytes.buffer.subarray(start, start + kept.bytes.length).equals(kept.bytes)
    ) {
      this.#columns = kept;
      bytes.at = start + kept.bytes.length;
    } else {
      const { value, offset } = readColumns(bytes.buffer, start, this.#options);
      this.#columns = {
        bytes: Buffer.from(bytes.buffer.subarray(start, offset)),
        names: value.map(({ colName }) => colName),
        metadata: value,
        readers: value.map((column) => cellReader(column, this.#options)),
      };
      this.#shape.columns = this.#columns;
      bytes.at = offset;
    }
    this.#rows.begin(this.#columns.names, this.#columns.metadata);
  }

  #known(): KnownColumns {
    if (this.#columns === null) throw new Error('a row came before its columns');
    return this.#columns;
  }

  #fail(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.emit('error', error);
  }
}
