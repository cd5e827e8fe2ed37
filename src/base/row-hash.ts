import { hash } from 'node:crypto';
import { leading53Bits } from './hashes.ts';

const COLON = 0x3a;
const NULL = 0x2d;

/** Up to this length a text is written sign by sign, which takes less time than a call. */
const SHORT = 64;

/** From this size on, in bytes, the room for a row is not kept for the next one. */
const LARGE = 65_536;

/** The most bytes before a cell: its length in digits, and a colon. */
const HEAD = 16;

/** Hashes rows, cell after cell, to 53 bits, which tell nothing of them without a key. */
export interface RowHash {
  readonly begin: () => void;
  readonly addNull: () => void;
  readonly addText: (text: string) => void;
  /** Adds the text whose bytes in UTF-8 are those from `from` to `to`. */
  readonly addBytes: (bytes: Uint8Array, from: number, to: number) => void;
  /** Ends the row. */
  readonly end: () => number;
}

/** @param table equal rows of two tables have different hashes */
export function rowHash(key: string, table: string): RowHash {
  return new KeyedRowHash(key, table);
}

/** Each cell stands behind its length, so that the text of two cells cannot be that of one. */
class KeyedRowHash implements RowHash {
  #bytes: Buffer;
  #at = 0;
  readonly #first: number;

  constructor(key: string, table: string) {
    this.#bytes = Buffer.from(`${key}|`);
    this.#at = this.#bytes.length;
    this.addText(table);
    this.#first = this.#at;
  }

  begin(): void {
    this.#at = this.#first;
  }

  addNull(): void {
    this.#reserve(1);
    this.#bytes[this.#at] = NULL;
    this.#at += 1;
  }

  addText(text: string): void {
    const { length } = text;
    if (length > SHORT || !this.#addAscii(text, length)) {
      const size = Buffer.byteLength(text);
      this.#addHead(size);
      this.#at += this.#bytes.write(text, this.#at);
    }
  }

  addBytes(bytes: Uint8Array, from: number, to: number): void {
    this.#addHead(to - from);
    if (to - from > SHORT) this.#bytes.set(bytes.subarray(from, to), this.#at);
    else {
      const own = this.#bytes;
      let at = this.#at;
      for (let index = from; index < to; index += 1) own[at++] = bytes[index] ?? 0;
    }
    this.#at += to - from;
  }

  end(): number {
    const digest = hash('sha256', this.#bytes.subarray(0, this.#at), 'binary');
    if (this.#bytes.length > LARGE) this.#bytes = Buffer.from(this.#bytes.subarray(0, this.#first));
    return leading53Bits(digest);
  }

  /** @returns false where the text is not ASCII: nothing is added then */
  #addAscii(text: string, length: number): boolean {
    const start = this.#at;
    this.#addHead(length);
    const bytes = this.#bytes;
    const begin = this.#at;
    for (let index = 0; index < length; index += 1) {
      const code = text.charCodeAt(index);
      if (code > 0x7f) {
        this.#at = start;
        return false;
      }
      bytes[begin + index] = code;
    }
    this.#at = begin + length;
    return true;
  }

  #addHead(size: number): void {
    this.#reserve(HEAD + size);
    const bytes = this.#bytes;
    let digits = 1;
    for (let rest = size; rest >= 10; rest = Math.floor(rest / 10)) digits += 1;
    const end = this.#at + digits;
    for (let at = end - 1, rest = size; at >= this.#at; at -= 1, rest = Math.floor(rest / 10)) {
      bytes[at] = 0x30 + (rest % 10);
    }
    bytes[end] = COLON;
    this.#at = end + 1;
  }

  #reserve(size: number): void {
    if (this.#at + size <= this.#bytes.length) return;
    const larger = Buffer.alloc(2 * (this.#at + size));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }
}
