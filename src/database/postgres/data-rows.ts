import type { EncodedRows, Row, RowCursor } from '../database.ts';
import { LONG_TEXT } from '../long-text.ts';
import { HEADER, readRows } from './row-reader.ts';

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
