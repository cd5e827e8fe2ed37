import type { Row, RowCursor } from '../../database/database.ts';
import {
  ASCII_BYTES,
  type ByteSink,
  copy,
  copyNumber,
  copyQuoted,
  copyTruth,
  copyWords,
  TEXT_BYTES,
  URI_BYTES,
} from './byte-sink.ts';
import type { CopiedForm, CopiedValue, Part } from './entity-parts.ts';

/** What a step writes behind its text: numbers of their own, which the loop over the steps has as constants. */
const NOTHING = 0;
const INTEGER = 1;
const DECIMAL = 2;
const ASCII = 3;
const TEXT = 4;
const URI = 5;
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
  uri: URI,
  within: WITHIN,
  truth: TRUTH,
};

/** A text that is the same for all rows, and what is written behind it. */
interface Step {
  readonly text: string;
  readonly code: number;
  readonly column: number;
  /** Whether a part begins here. */
  readonly begins: boolean;
  /** The whole part where the column is null; null where one of the functions writes that. */
  readonly whenNull: string | null;
  /** Writes the whole part from the decoded value, where its bytes cannot be copied. */
  readonly ofValue: ((value: string) => string) | null;
  /** Writes the whole part from the decoded row, likewise. */
  readonly ofRow: ((row: Row) => string) | null;
  /** Writes it without decoding the row. */
  readonly ofBytes: ((row: RowCursor) => string) | null;
  /** How many more steps the part has, which are skipped where it is written as a whole. */
  readonly others: number;
}

const STEP: Step = {
  text: '',
  code: NOTHING,
  column: -1,
  begins: true,
  whenNull: null,
  ofValue: null,
  ofRow: null,
  ofBytes: null,
  others: 0,
};

/** The steps that write a part; null for a part that is not made of the row alone. */
function stepsOf(part: Part): Step[] | null {
  switch (part.kind) {
    case 'text':
      return [{ ...STEP, text: part.text }];
    case 'value': {
      const { head, column, whenNull, json, form } = part;
      const ofValue = (value: string): string => head + json(value);
      if (form === undefined) return [{ ...STEP, code: DECODED, column, whenNull, ofValue }];
      const values = [{ head, form, column }];
      return copyingSteps(values, '', { ...STEP, whenNull, ofValue });
    }
    case 'row': {
      const { json: ofRow, ofBytes = null, copied } = part;
      if (copied === undefined) return [{ ...STEP, code: ROW, ofRow, ofBytes }];
      const { values, tail, whenNull = null } = copied;
      return copyingSteps(values, tail, { ...STEP, whenNull, ofRow });
    }
    case 'entity': {
      const steps = stepsOfAll(part.parts);
      if (steps === null) return null;
      const { column, whenNull } = part;
      return [{ ...STEP, code: PRESENT, column, whenNull, others: steps.length }, ...steps];
    }
    case 'list':
    case 'savedHead':
    case 'current':
    case 'savedMember':
    case 'savedTail':
      return null;
  }
}

function stepsOfAll(parts: readonly Part[]): Step[] | null {
  const steps: Step[] = [];
  for (const part of parts) {
    const own = stepsOf(part);
    if (own === null) return null;
    steps.push(...own);
  }
  return steps;
}

function copyingSteps(values: readonly CopiedValue[], tail: string, step: Step): Step[] {
  const hasTail = tail !== '';
  const steps = values.map(({ head, form, column }, index): Step => ({
    ...step,
    text: head,
    code: CODES[form],
    column,
    begins: index === 0,
    others: values.length - 1 - index + (hasTail ? 1 : 0),
  }));
  return hasTail ? [...steps, { ...STEP, text: tail, begins: false }] : steps;
}

/** Texts in UTF-8, four bytes at a time. The last four of a text may go beyond its end: the next text is written over that. */
function wordsOf(texts: readonly string[]): Record<'words' | 'starts' | 'lengths', Int32Array> {
  const words: number[] = [];
  const starts = [0];
  const lengths: number[] = [];
  for (const text of texts) {
    const bytes = Buffer.from(text);
    const padded = Buffer.alloc(4 * Math.ceil(bytes.length / 4));
    bytes.copy(padded);
    for (let at = 0; at < padded.length; at += 4) words.push(padded.readInt32BE(at));
    starts.push(words.length);
    lengths.push(bytes.length);
  }
  return {
    words: Int32Array.from(words),
    starts: Int32Array.from(starts),
    lengths: Int32Array.from(lengths),
  };
}

const COMMA = 0x2c;

/**
 * Compiles the writer of entities from rows as they came, null for entities that are not made of their rows alone. Values whose bytes are JSON are
 * copied, others decoded. Steps are numbers in lists: a function call for each value would take longer than copying it.
 */
export function compileBytes(
  parts: readonly Part[],
): ((sink: ByteSink, row: RowCursor, follows: boolean) => void) | null {
  const steps = stepsOfAll(parts);
  if (steps === null) return null;
  const count = steps.length;
  const codes = Uint8Array.from(steps, ({ code }) => code);
  const columns = Int32Array.from(steps, ({ column }) => column);
  const begins = Uint8Array.from(steps, ({ begins }) => (begins ? 1 : 0));
  const others = Int32Array.from(steps, (step) => step.others);
  // The texts of the steps, and behind them those for nulls.
  const { words, starts, lengths } = wordsOf([
    ...steps.map(({ text }) => text),
    ...steps.map(({ whenNull }) => whenNull ?? ''),
  ]);
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
      const code = codes[step] ?? NOTHING;
      copyWords(view, at, words, starts[step] ?? 0, starts[step + 1] ?? 0);
      at += lengths[step] ?? 0;
      if (code === NOTHING) continue;
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
          case URI:
            if (size > 0) next = copy(out, at, bytes, from, from + size, URI_BYTES);
            break;
          case WITHIN:
            next = copy(out, at, bytes, from, from + size, TEXT_BYTES);
            break;
          case TRUTH:
            next = copyTruth(view, at, bytes, from, from + size);
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
      const { whenNull, ofValue, ofRow, ofBytes } = steps[step] ?? STEP;
      if (size < 0 && whenNull !== null) {
        copyWords(view, at, words, starts[count + step] ?? 0, starts[count + step + 1] ?? 0);
        at += lengths[count + step] ?? 0;
      } else {
        sink.at = at;
        sink.text(ofBytes?.(row) ?? ofValue?.(row.text(column)) ?? ofRow?.(row.row()) ?? '');
        sink.reserve(room);
        ({ bytes: out, view, at } = sink);
      }
      step += others[step] ?? 0;
    }
    sink.at = at;
  };
}
