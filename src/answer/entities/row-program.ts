import type { RowCursor } from '../../database/database.ts';
import type { ByteSink } from './byte-sink.ts';
import {
  ADDRESS,
  ASCII,
  DECIMAL,
  DECODED,
  INTEGER,
  type Part,
  PRESENT,
  ROW,
  SAME,
  stepsOf,
  TEXT,
  Texts,
  TRUTH,
  WITHIN,
} from './row-steps.ts';

/**
 * Values that come as text in UTF-8, copied into JSON. None of this looks whether there is room: bytes that are written beyond the end of an array are lost without a word.
 */

/** Copies texts by fours of bytes; the last four may go beyond the end of a text. */
function copyWords(view: DataView, at: number, words: Int32Array, from: number, to: number): void {
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
const TEXT_BYTES = plain(isText);
/** The same of ASCII alone. */
const ASCII_BYTES = plain((byte) => isText(byte) && byte < 0x7f);
/** What needs no escape in an address either. */
const ADDRESS_BYTES = plain((byte) => /[A-Za-z0-9_.-]/.test(String.fromCharCode(byte)));

/** Copies bytes. @returns where what was written ends, or -1 for what holds others than those of the table */
function copy(
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
function copyQuoted(
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
function copyNumber(
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
function copyTruth(
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

/**
 * Writes the row that a cursor is at.
 * @param follows whether another one stands before it, and a comma between them
 * @throws ProtocolError answerTooLarge, and what the texts of the parts throw
 */
export type RowBytesWriter = (sink: ByteSink, row: RowCursor, follows: boolean) => void;

const COMMA = 0x2c;

/**
 * Compiles the writer of rows as they came. The steps are numbers in lists, and not functions of their own, as for each of some ten values of a row a call would take
 * longer than to copy it.
 */
export function compileRow(parts: readonly Part[]): RowBytesWriter {
  const steps = parts.flatMap(stepsOf);
  const count = steps.length;
  const codes = Uint8Array.from(steps, ({ code }) => code);
  const columns = Int32Array.from(steps, ({ column }) => column);
  const begins = Uint8Array.from(steps, ({ begins }) => (begins ? 1 : 0));
  const others = Int32Array.from(steps, (step) => step.others);
  const all = new Texts();
  for (const { text } of steps) all.add(text);
  // Behind the texts of the steps those of nulls.
  for (const { whenNull } of steps) all.add(whenNull ?? '');
  const { words, starts, lengths } = all.made();
  const fixed = 1 + 4 * words.length + 2 * count;
  const uses = new Map<number, number>();
  for (const { column } of steps) {
    if (column >= 0) uses.set(column, (uses.get(column) ?? 0) + 1);
  }
  const copies = Math.max(0, ...uses.values());

  return (sink, row, follows) => {
    const room = fixed + copies * row.size;
    sink.reserve(room);
    let { bytes: out, view, at } = sink;
    const { bytes, starts: values, lengths: sizes } = row;
    if (follows) {
      out[at] = COMMA;
      at += 1;
    }
    let begin = at;
    for (let step = 0; step < count; step += 1) {
      if (begins[step] === 1) begin = at;
      const code = codes[step] ?? SAME;
      copyWords(view, at, words, starts[step] ?? 0, starts[step + 1] ?? 0);
      at += lengths[step] ?? 0;
      if (code === SAME) continue;
      const column = columns[step] ?? 0;
      const size = code === ROW ? 0 : (sizes[column] ?? -1);
      const from = values[column] ?? 0;
      let next = -1;
      if (size >= 0) {
        switch (code) {
          case INTEGER:
            next = copyNumber(out, at, bytes, from, from + size, false);
            break;
          case DECIMAL:
            next = copyNumber(out, at, bytes, from, from + size, true);
            break;
          case ASCII:
            next = copyQuoted(out, at, bytes, from, from + size, ASCII_BYTES);
            break;
          case TEXT:
            next = copyQuoted(out, at, bytes, from, from + size, TEXT_BYTES);
            break;
          case ADDRESS:
            if (size > 0) next = copy(out, at, bytes, from, from + size, ADDRESS_BYTES);
            break;
          case WITHIN:
            next = copy(out, at, bytes, from, from + size, TEXT_BYTES);
            break;
          case TRUTH:
            next = copyTruth(view, at, bytes, from, size);
            break;
          case DECODED:
            at = writeText(sink, at, steps[step]?.ofValue?.(row.text(column)) ?? '', room);
            ({ bytes: out, view } = sink);
            next = at;
            break;
          case PRESENT:
            next = at;
            break;
        }
      }
      if (next >= 0) {
        at = next;
        continue;
      }
      at = begin;
      const { asText = null, whenNull = null } = steps[step] ?? {};
      if (size < 0 && whenNull !== null) {
        copyWords(view, at, words, starts[count + step] ?? 0, starts[count + step + 1] ?? 0);
        at += lengths[count + step] ?? 0;
      } else {
        at = writeText(sink, at, asText?.(row.row()) ?? '', room);
        ({ bytes: out, view } = sink);
      }
      step += others[step] ?? 0;
    }
    sink.at = at;
  };
}

/** Writes a text where the sink is, and has room for the row again. @returns where it goes on */
function writeText(sink: ByteSink, at: number, text: string, room: number): number {
  sink.at = at;
  sink.text(text);
  sink.reserve(room);
  return sink.at;
}
