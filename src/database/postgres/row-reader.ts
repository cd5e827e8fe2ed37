import { isAscii } from 'node:buffer';
import type { EncodedRows, Row, RowCursor } from '../database.ts';
import { LONG_TEXT, UndecodedText, utf8 } from '../long-text.ts';

/** Takes rows as they come. */
export interface RowSink {
  /** @param bytes rows from `start` to `end`, for {@link readRows} */
  readonly handleRows: (bytes: Buffer, start: number, end: number) => void;
}

/** The size of a code and a length, which includes itself. https://www.postgresql.org/docs/current/protocol-message-formats.html */
export const HEADER = 5;
const DATA_ROW = 'D'.charCodeAt(0);

/**
 * Takes the rows out of the server's messages before the driver's parser, whose buffer for each value is a third of the cost of a page. All other
 * messages go to the parser in their order, and rows, too, while there is no sink.
 */
export class RowReader {
  sink: RowSink | null = null;
  readonly #forward: (bytes: Buffer) => void;
  /** The parts of an incomplete message, their size, and how much of it has to come. */
  #parts: Buffer[] = [];
  #held = 0;
  #needed = 0;

  /** @param forward takes complete messages */
  constructor(forward: (bytes: Buffer) => void) {
    this.#forward = forward;
  }

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
        // It may end a statement, and change the sink.
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

  /** Adds a chunk to the held parts; null while a message is incomplete. A long message is put together once. */
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

/** Where a message ends, or the least end if its length has not come. */
function endOf(bytes: Buffer, at: number): number {
  return at + HEADER > bytes.length ? at + HEADER : at + 1 + bytes.readUInt32BE(at + 1);
}

/** Where the complete rows end. */
function rowsEnd(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at] === DATA_ROW) {
    const end = endOf(bytes, at);
    if (end > bytes.length) break;
    at = end;
  }
  return at;
}

/** From which length on a value is decoded by itself, in bytes: a substring keeps the whole text in memory. */
const LONG = 256;

/** The most bytes that are decoded at once, to be cut into values. */
const DECODED = 131_072;

/** The first two bytes of a character beyond ASCII in UTF-8. Between values, only a length of about 50,000 looks like it. */
const BEYOND_ASCII = /[\u00c2-\u00f4][\u0080-\u00bf]/;

/** Reads rows, each value as text or null; long texts are left undecoded. */
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

/** Consecutive rows. */
interface Messages {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/** Rows as PostgreSQL sends them. https://www.postgresql.org/docs/current/protocol-message-formats.html#PROTOCOL-MESSAGE-FORMATS-DATAROW */
export class DataRows implements EncodedRows {
  readonly #messages: Messages[] = [];
  length = 0;
  hasLong = false;

  /** @param bytes rows from `start` to `end` */
  add(bytes: Buffer, start: number, end: number): void {
    this.#messages.push({ bytes, start, end });
    for (let at = start; at < end; this.length += 1) {
      const length = bytes.readUInt32BE(at + 1);
      if (length > LONG_TEXT) this.hasLong = true;
      at += 1 + length;
    }
  }

  byNumber(column: number, count: number): readonly DataRows[] {
    const all = Array.from({ length: count }, () => new DataRows());
    const cursor = new DataRowCursor(this.#messages);
    while (cursor.next()) {
      all[Number(cursor.text(column)) - 1]?.add(
        cursor.bytes,
        cursor.start,
        cursor.start + cursor.size,
      );
    }
    return all;
  }

  cursor(): RowCursor {
    return new DataRowCursor(this.#messages);
  }
}

class DataRowCursor implements RowCursor {
  bytes: Buffer = Buffer.alloc(0);
  size = 0;
  readonly starts: number[] = [];
  readonly lengths: number[] = [];
  /** Where the row begins. */
  start = 0;
  readonly #messages: readonly Messages[];
  /** The index of the next messages, and the rest of the current ones. */
  #next = 0;
  #at = 0;
  #end = 0;
  /** The decoded row. */
  #row: Row | null = null;

  constructor(messages: readonly Messages[]) {
    this.#messages = messages;
  }

  next(): boolean {
    if (this.#at === this.#end) {
      const messages = this.#messages[this.#next];
      if (messages === undefined) return false;
      this.#next += 1;
      ({ bytes: this.bytes, start: this.#at, end: this.#end } = messages);
    }
    const { bytes, starts, lengths } = this;
    let at = this.#at;
    this.start = at;
    this.#row = null;
    const columns = wordAt(bytes, at + HEADER);
    at += HEADER + 2;
    for (let column = 0; column < columns; column += 1) {
      const length = (wordAt(bytes, at) << 16) | wordAt(bytes, at + 2);
      at += 4;
      starts[column] = at;
      lengths[column] = length;
      if (length > 0) at += length;
    }
    this.size = at - this.start;
    this.#at = at;
    return true;
  }

  text(column: number): string {
    const start = this.starts[column] ?? 0;
    return this.bytes.toString('utf8', start, start + (this.lengths[column] ?? 0));
  }

  row(): Row {
    if (this.#row !== null) return this.#row;
    const rows: Row[] = [];
    readRows(this.bytes, this.start, this.#at, rows);
    return (this.#row = rows[0] ?? []);
  }
}

function wordAt(bytes: Buffer, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
}
