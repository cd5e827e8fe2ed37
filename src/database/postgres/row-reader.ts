import { isAscii } from 'node:buffer';
import pg from 'pg';
import type { Row } from '../database.ts';
import { LONG_TEXT, UndecodedText, utf8 } from '../long-text.ts';

/** What of the driver's connection is met here; its types tell less. */
interface Attaching {
  attachListeners: (stream: Listened) => void;
}

/** What the driver's connection asks of the stream that it reads. */
interface Listened {
  readonly on: (event: string, listener: (bytes: Buffer) => void) => unknown;
}

const readers = new WeakMap<pg.Connection, RowReader>();

/** The driver's client, whose rows are read by {@link RowReader}, in clear or by TLS. */
export class RowClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    const { connection } = this;
    const attaching = connection as unknown as Attaching;
    const attach = attaching.attachListeners.bind(connection);
    attaching.attachListeners = (stream) => {
      attach({
        on: (event, listener) => {
          if (event !== 'data') return stream.on(event, listener);
          const reader = new RowReader(listener);
          readers.set(connection, reader);
          return stream.on('data', reader.read);
        },
      });
    };
  }
}

/** Has whoever waits for rows of a connection get them, or nobody. */
export function giveRows(connection: pg.Connection, sink: RowSink | null): void {
  const reader = readers.get(connection);
  if (reader !== undefined) reader.sink = sink;
}

/** Hears of rows as they come. */
export interface RowSink {
  /** @param bytes have rows from `start` to `end`, as they came over the wire ({@link readRows}) */
  readonly handleRows: (bytes: Buffer, start: number, end: number) => void;
}

/** A code and a length, which counts itself. https://www.postgresql.org/docs/current/protocol-message-formats.html */
export const HEADER = 5;
const DATA_ROW = 'D'.charCodeAt(0);

/**
 * Stands between the server and the driver's parser, and takes the rows out for whoever waits for them: the parser makes a buffer's slice of each value, which is a third of
 * what a page of rows takes. All else goes on to the parser, in the same order, and rows that nobody waits for, too.
 */
export class RowReader {
  sink: RowSink | null = null;
  readonly #forward: (bytes: Buffer) => void;
  /** A message of which not all has come. */
  #parts: Buffer[] = [];
  #held = 0;
  #needed = 0;

  /** @param forward takes whole messages */
  constructor(forward: (bytes: Buffer) => void) {
    this.#forward = forward;
  }

  /** Takes what has come, whatever is cut where. */
  readonly read = (chunk: Buffer): void => {
    const bytes = this.#withHeld(chunk);
    if (bytes === null) return;
    let from = 0;
    let at = 0;
    while (at < bytes.length) {
      const end = endOf(bytes, at);
      if (end > bytes.length) {
        this.#needed = end - at;
        break;
      }
      if (bytes[at] !== DATA_ROW || this.sink === null) {
        at = end;
        continue;
      }
      if (from < at) {
        // It may be the end of a statement, and others wait for rows then.
        this.#forward(bytes.subarray(from, at));
        from = at;
        continue;
      }
      at = rowsEnd(bytes, from);
      this.sink.handleRows(bytes, from, at);
      from = at;
    }
    if (from < at) this.#forward(bytes.subarray(from, at));
    if (at === bytes.length) return;
    this.#parts = [bytes.subarray(at)];
    this.#held = bytes.length - at;
  };

  /** What has come with what is held of before; null where that is not a whole message yet. A long one is put together once. */
  #withHeld(chunk: Buffer): Buffer | null {
    if (this.#held === 0) return chunk;
    this.#parts.push(chunk);
    this.#held += chunk.length;
    if (this.#held < this.#needed) return null;
    const bytes = Buffer.concat(this.#parts, this.#held);
    this.#parts = [];
    this.#held = 0;
    return bytes;
  }
}

/** Where a message ends, or the least place where it may where its length has not come. */
function endOf(bytes: Buffer, at: number): number {
  return at + HEADER > bytes.length ? at + HEADER : at + 1 + bytes.readUInt32BE(at + 1);
}

/** Where the rows end that begin at a place. */
function rowsEnd(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at] === DATA_ROW) {
    const end = endOf(bytes, at);
    if (end > bytes.length) break;
    at = end;
  }
  return at;
}

/** How long a value is that is decoded by itself, in bytes: what is cut out of a longer text keeps all of that in memory. */
const LONG = 256;

/** How many bytes are decoded at once, to be cut into values. */
const DECODED = 131_072;

/**
 * How what is not ASCII begins in UTF-8, byte for byte. Of what stands between the values only a length of some 50,000 looks so, and a null does not, which is four
 * bytes of 255.
 */
const BEYOND_ASCII = /[\u00c2-\u00f4][\u0080-\u00bf]/;

/** Reads rows, each value as text or null; a long one is left as it came. */
export function readRows(bytes: Buffer, start: number, end: number, rows: Row[]): void {
  const all = end - start > DECODED ? null : bytes.toString('latin1', start, end);
  const isPlain = isAscii(bytes.subarray(start, end)) || (all !== null && !BEYOND_ASCII.test(all));
  let at = start;
  while (at < end) {
    const columns = bytes.readUInt16BE(at + HEADER);
    const row = new Array<string | UndecodedText | null>(columns);
    at += HEADER + 2;
    for (let column = 0; column < columns; column += 1) {
      const length = bytes.readInt32BE(at);
      at += 4;
      if (length === -1) {
        row[column] = null;
        continue;
      }
      const from = at;
      at += length;
      if (length > LONG_TEXT) {
        row[column] = new UndecodedText([bytes.subarray(from, at)], utf8);
        continue;
      }
      if (all === null || length > LONG) {
        row[column] = bytes.toString('utf8', from, at);
        continue;
      }
      const text = all.substring(from - start, at - start);
      row[column] = isPlain || !BEYOND_ASCII.test(text) ? text : bytes.toString('utf8', from, at);
    }
    rows.push(row);
  }
}
