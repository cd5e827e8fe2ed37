/**
 * Values that come as text in UTF-8, copied into JSON. None of this looks whether there is room: bytes that are written beyond the end of an array are lost without a word.
 */

/** Copies texts by fours of bytes; the last four may go beyond the end of a text. */
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

/** Which bytes are copied: 1 for those. */
export type Plain = Uint8Array;

function plain(isPlain: (byte: number) => boolean): Plain {
  return Uint8Array.from({ length: 256 }, (_, byte) => (isPlain(byte) ? 1 : 0));
}

/** What JSON does not escape; halves of surrogate pairs have no UTF-8. */
function isText(byte: number): boolean {
  return byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH;
}

/** What goes between quotes as it is. */
export const TEXT_BYTES = plain(isText);
/** The same of ASCII alone. */
export const ASCII_BYTES = plain((byte) => isText(byte) && byte < 0x7f);
/** What needs no escape in an address either. */
export const ADDRESS_BYTES = plain((byte) => /[A-Za-z0-9_.-]/.test(String.fromCharCode(byte)));

/** Copies bytes. @returns where what was written ends, or -1 for what holds others than those of the table */
export function copy(
  out: Uint8Array,
  at: number,
  bytes: Uint8Array,
  from: number,
  to: number,
  table: Plain,
): number {
  for (let index = from; index < to; index += 1) {
    const byte = bytes[index] ?? 0;
    if (table[byte] === 0) return -1;
    out[at] = byte;
    at += 1;
  }
  return at;
}

/** The same between quotes. */
export function copyQuoted(
  out: Uint8Array,
  at: number,
  bytes: Uint8Array,
  from: number,
  to: number,
  table: Plain,
): number {
  out[at] = QUOTE;
  const end = copy(out, at + 1, bytes, from, to, table);
  if (end < 0) return -1;
  out[end] = QUOTE;
  return end + 1;
}

const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;

/** Digits behind a minus or none. @param mayHavePoint whether there may be a point between two of them @returns as {@link copy} */
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

/** `true` of `t`, `false` of `f`. @returns as {@link copy} */
export function copyTruth(
  view: DataView,
  at: number,
  bytes: Uint8Array,
  from: number,
  size: number,
): number {
  if (size !== 1) return -1;
  if (bytes[from] === T) {
    view.setInt32(at, TRUE);
    return at + 4;
  }
  if (bytes[from] !== F) return -1;
  view.setInt32(at, FALS);
  view.setUint8(at + 4, E);
  return at + 5;
}
