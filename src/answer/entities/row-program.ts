import type { RowCursor } from '../../database/database.ts';
import type { ByteSink } from './byte-sink.ts';
import {
  ADDRESS_BYTES,
  ASCII_BYTES,
  copy,
  copyNumber,
  copyQuoted,
  copyTruth,
  copyWords,
  TEXT_BYTES,
} from './copied-bytes.ts';
import {
  ADDRESS,
  ASCII,
  DECIMAL,
  DECODED,
  INTEGER,
  PRESENT,
  ROW,
  SAME,
  stepsOf,
  TEXT,
  Texts,
  TRUTH,
  WITHIN,
  type Part,
} from './row-steps.ts';

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
