import type { Row, RowCursor } from '../database/database.ts';
import type { ByteSink } from './byte-sink.ts';

/**
 * How the bytes of a value become JSON: those of a whole number, or of one with a point, as they are; of text between quotes, of ASCII alone or of any; of text within an address or within other
 * text without quotes; `t` and `f`.
 */
export type CopiedForm = 'integer' | 'decimal' | 'ascii' | 'text' | 'address' | 'within' | 'truth';

/** A part of the JSON that rows are written as. */
export type Part =
  /** The same for all rows. */
  | { readonly kind: 'same'; readonly text: string }
  /** Values that are copied, each with the text before it, and the text behind the last one. */
  | {
      readonly kind: 'copied';
      readonly values: readonly CopiedValue[];
      readonly tail: string;
      /** All of it where a value is null; left out where the row tells that. */
      readonly whenNull?: string;
      /** All of it where a value is not of its form, or where it is null. */
      readonly asText: (row: Row) => string;
    }
  /** A value that has to be decoded. */
  | {
      readonly kind: 'decoded';
      readonly column: number;
      readonly whenNull: string;
      readonly asText: (value: string) => string;
    }
  /** What more than one value tells. */
  | { readonly kind: 'row'; readonly asText: (row: Row) => string }
  /** Parts that are there where a value is not null. */
  | {
      readonly kind: 'present';
      readonly column: number;
      readonly whenNull: string;
      readonly parts: readonly Part[];
    };

/** A value of a column that is copied, and the text before it. */
export interface CopiedValue {
  readonly head: string;
  readonly form: CopiedForm;
  readonly column: number;
}

/**
 * Writes the row that a cursor is at.
 * @param follows whether another one stands before it, and a comma between them
 * @throws ProtocolError answerTooLarge, and what the texts of the parts throw
 */
export type RowBytesWriter = (sink: ByteSink, row: RowCursor, follows: boolean) => void;

const SAME = 0;
const INTEGER = 1;
const DECIMAL = 2;
const ASCII = 3;
const TEXT = 4;
const ADDRESS = 5;
const WITHIN = 6;
const TRUTH = 7;
const DECODED = 8;
const ROW = 9;
const PRESENT = 10;

const CODES: Readonly<Record<CopiedForm, number>> = {
  integer: INTEGER,
  decimal: DECIMAL,
  ascii: ASCII,
  text: TEXT,
  address: ADDRESS,
  within: WITHIN,
  truth: TRUTH,
};

/** One step: a text that is the same for all rows, and what is written behind it. */
interface Step {
  readonly text: string;
  readonly code: number;
  readonly column: number;
  /** Whether a part begins here. */
  readonly begins: boolean;
  readonly whenNull: string | null;
  readonly asText: ((row: Row) => string) | null;
  readonly ofValue: ((value: string) => string) | null;
  /** How many steps its part has behind it, which are passed over where it is written otherwise. */
  readonly others: number;
}

const STEP: Step = {
  text: '',
  code: SAME,
  column: -1,
  begins: true,
  whenNull: null,
  asText: null,
  ofValue: null,
  others: 0,
};

function stepsOf(part: Part): Step[] {
  switch (part.kind) {
    case 'same':
      return [{ ...STEP, text: part.text }];
    case 'copied': {
      const { values, tail, whenNull = null, asText } = part;
      const hasTail = tail !== '';
      const steps = values.map(({ head, form, column }, index): Step => ({
        ...STEP,
        text: head,
        code: CODES[form],
        column,
        begins: index === 0,
        whenNull,
        asText,
        others: values.length - 1 - index + (hasTail ? 1 : 0),
      }));
      return hasTail ? [...steps, { ...STEP, text: tail, begins: false }] : steps;
    }
    case 'decoded': {
      const { column, whenNull, asText } = part;
      return [{ ...STEP, code: DECODED, column, whenNull, ofValue: asText }];
    }
    case 'row':
      return [{ ...STEP, code: ROW, asText: part.asText }];
    case 'present': {
      const { column, whenNull, parts } = part;
      const steps = parts.flatMap(stepsOf);
      return [{ ...STEP, code: PRESENT, column, whenNull, others: steps.length }, ...steps];
    }
  }
}

/** Texts that are written often: their bytes in UTF-8, by fours. The last four of one may go beyond its end: what comes next is written over that. */
class Texts {
  readonly #words: number[] = [];
  readonly #starts = [0];
  readonly #lengths: number[] = [];

  add(text: string): void {
    const bytes = Buffer.from(text);
    const padded = Buffer.alloc(4 * Math.ceil(bytes.length / 4));
    bytes.copy(padded);
    for (let at = 0; at < padded.length; at += 4) this.#words.push(padded.readInt32BE(at));
    this.#starts.push(this.#words.length);
    this.#lengths.push(bytes.length);
  }

  made(): { words: Int32Array; starts: Int32Array; lengths: Int32Array } {
    return {
      words: Int32Array.from(this.#words),
      starts: Int32Array.from(this.#starts),
      lengths: Int32Array.from(this.#lengths),
    };
  }
}

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
  const copies = Math.max(
    1,
    ...columns.map((column) => columns.filter((one) => one === column).length),
  );

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

function copyWords(view: DataView, at: number, words: Int32Array, from: number, to: number): void {
  for (let word = from; word < to; word += 1) {
    view.setInt32(at, words[word] ?? 0);
    at += 4;
  }
}

const COMMA = 0x2c;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Which bytes are copied: 1 for those. */
type Plain = Uint8Array;

function plain(isPlain: (byte: number) => boolean): Plain {
  return Uint8Array.from({ length: 256 }, (_, byte) => (isPlain(byte) ? 1 : 0));
}

/** What JSON does not escape; halves of surrogate pairs have no UTF-8. */
function isText(byte: number): boolean {
  return byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH;
}

const TEXT_BYTES = plain(isText);
const ASCII_BYTES = plain((byte) => isText(byte) && byte < 0x7f);
/** What needs no escape in an address either. */
const ADDRESS_BYTES = plain((byte) => /[A-Za-z0-9_.-]/.test(String.fromCharCode(byte)));

/** @returns where it ends, or -1 for what holds other bytes */
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

/** Digits behind a minus or none. @param mayHavePoint whether there may be a point between two of them */
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
