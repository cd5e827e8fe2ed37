import { answerTooLong, LONGEST_ANSWER } from './entity-writer.ts';

/** The size of a piece in bytes: to make room for more than that, all of it would be copied. */
const PIECE = 1_048_576;

/** The size in bytes of the buffer that most answers fit into. */
const SPARE = 65_536;

/** A buffer that no answer uses at the moment: to make a new one takes as long as to write a short answer. */
let spare: Written | null = null;

interface Written {
  readonly bytes: Buffer;
  readonly view: DataView;
}

function newBytes(size: number): Written {
  // Not of a pool, because it is kept.
  const bytes = Buffer.allocUnsafeSlow(size);
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, size) };
}

/** Collects bytes, in pieces where they are many. */
export class ByteSink {
  /** The open piece. */
  bytes: Buffer;
  /** A view of {@link bytes}. */
  view: DataView;
  /** The offset in {@link bytes} of the next byte. */
  at: number;
  readonly #pieces: Buffer[] = [];
  #length = 0;

  /** @param at how many bytes are left free for the caller before the first one */
  constructor(at: number) {
    const { bytes, view } = spare ?? newBytes(SPARE);
    spare = null;
    this.bytes = bytes;
    this.view = view;
    this.at = at;
  }

  /** Makes room for more bytes. @throws ProtocolError answerTooLarge */
  reserve(count: number): void {
    if (this.at + count <= this.bytes.length) return;
    if (this.at >= PIECE) {
      this.#push();
      this.#grow(Math.max(PIECE, count));
    } else {
      this.#grow(Math.max(2 * this.bytes.length, this.at + count));
    }
  }

  /** Writes a text. @throws ProtocolError answerTooLarge */
  text(text: string): void {
    // No UTF-16 code unit takes more than three bytes in UTF-8.
    this.reserve(3 * text.length);
    this.at += this.bytes.write(text, this.at, 'utf8');
  }

  /** All that was written. The sink cannot be used any more. */
  pieces(): readonly Buffer[] {
    const { bytes, view, at } = this;
    if (this.#pieces.length === 0 && bytes.length === SPARE) {
      const copy = Buffer.from(bytes.subarray(0, at));
      spare = { bytes, view };
      return [copy];
    }
    this.#push();
    return this.#pieces;
  }

  #push(): void {
    this.#pieces.push(this.bytes.subarray(0, this.at));
    this.#length += this.at;
    this.at = 0;
    if (this.#length > LONGEST_ANSWER) throw answerTooLong();
  }

  #grow(size: number): void {
    const { bytes, view } = newBytes(size);
    this.bytes.copy(bytes, 0, 0, this.at);
    if (this.bytes.length === SPARE) spare = { bytes: this.bytes, view: this.view };
    this.bytes = bytes;
    this.view = view;
  }
}

/** Copies values from the database's UTF-8 into JSON. These functions do not check for room: bytes beyond the end of an array are lost silently. */

/** Copies texts four bytes at a time; the last four may go beyond the end of the text. */
export function copyWords(
  view: DataView,
  at: number,
  words: Int32Array,
  from: number,
  to: number,
): void {
  for (let word = from; word < to; word += 1) {
    view.setInt32(at, words[word] ?? 0);
    at += 4;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** For each byte 1 where it is copied. */
function table(isCopied: (byte: number) => boolean): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => (isCopied(byte) ? 1 : 0));
}

/** Bytes that JSON does not escape: UTF-8 has no halves of surrogate pairs. */
function isText(byte: number): boolean {
  return byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH;
}

export const TEXT_BYTES = table(isText);
export const ASCII_BYTES = table((byte) => isText(byte) && byte < 0x7f);
/** Bytes that a URI does not escape either. */
export const URI_BYTES = table((byte) => /[A-Za-z0-9_.-]/.test(String.fromCharCode(byte)));

/** Copies bytes. @returns the offset behind the copy, or -1 where one of them is not in the table */
export function copy(
  out: Uint8Array,
  at: number,
  bytes: Uint8Array,
  from: number,
  to: number,
  copied: Uint8Array,
): number {
  for (let index = from; index < to; index += 1) {
    const byte = bytes[index] ?? 0;
    if (copied[byte] === 0) return -1;
    out[at] = byte;
    at += 1;
  }
  return at;
}

/** Copies bytes between quotes. @returns as {@link copy} */
export function copyQuoted(
  out: Uint8Array,
  at: number,
  bytes: Uint8Array,
  from: number,
  to: number,
  copied: Uint8Array,
): number {
  out[at] = QUOTE;
  const end = copy(out, at + 1, bytes, from, to, copied);
  if (end < 0) return -1;
  out[end] = QUOTE;
  return end + 1;
}

const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;

/** Copies digits with an optional minus before them. @param mayHavePoint whether a point between two of them is allowed @returns as {@link copy} */
export function copyNumber(
  out: Uint8Array,
  at: number,
  bytes: Uint8Array,
  from: number,
  to: number,
  mayHavePoint: boolean,
): number {
  let index = from;
  if (index < to && bytes[index] === MINUS) {
    out[at] = MINUS;
    at += 1;
    index += 1;
  }
  let isDigit = false;
  for (; index < to; index += 1) {
    const byte = bytes[index] ?? 0;
    if (byte >= ZERO && byte <= NINE) {
      isDigit = true;
    } else if (byte === POINT && isDigit && mayHavePoint) {
      isDigit = false;
      mayHavePoint = false;
    } else {
      return -1;
    }
    out[at] = byte;
    at += 1;
  }
  return isDigit ? at : -1;
}

const T = 0x74;
const F = 0x66;
const TRUE = 0x74727565;
const FALS = 0x66616c73;
const E = 0x65;

/** Writes `true` for `t`, `false` for `f`. @returns as {@link copy} */
export function copyTruth(
  view: DataView,
  at: number,
  bytes: Uint8Array,
  from: number,
  to: number,
): number {
  if (to - from !== 1) return -1;
  if (bytes[from] === T) {
    view.setInt32(at, TRUE);
    return at + 4;
  }
  if (bytes[from] !== F) return -1;
  view.setInt32(at, FALS);
  view.setUint8(at + 4, E);
  return at + 5;
}
