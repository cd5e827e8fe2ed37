import { setImmediate } from 'node:timers/promises';
import { isLongText, jsonStringPieces, type Text } from '../base/text.ts';
import type { TimeSlice } from '../base/time-slice.ts';
import type { ColumnType } from '../schema/types.ts';
import type { Dialect } from '../sql/dialect.ts';
import type { Statement } from '../sql/ir/statement.ts';
import type { KeyList } from '../state/entity-set/keys.ts';

/** A row that a statement is given, a key or what is to be written: canonical texts and nulls. */
export type InputRow = readonly (string | null)[];

/** Rows of more characters take too long to become JSON in one turn of the event loop. */
const LONG = 524_288;

/** Rows as JSON text, each with its ordinal before its fields. @param first the ordinal of the first one */
export function rowsText(
  rows: readonly InputRow[],
  types: readonly ColumnType[],
  dialect: Dialect,
  first = 0,
): string {
  return JSON.stringify(
    rows.map((row, index) => [
      first + index,
      ...row.map((cell, part) => cellInput(cell, types[part], dialect)),
    ]),
  );
}

/** Whether rows take long to become JSON. */
export function areLong(rows: readonly InputRow[]): boolean {
  let length = 0;
  for (const row of rows) {
    for (const cell of row) length += cell?.length ?? 0;
    if (length > LONG) return true;
  }
  return false;
}

/** Rows as the pieces of their JSON text, as {@link rowsText} makes it, in time slices. @throws the reason of the slice's signal */
export async function longRowsText(
  rows: readonly InputRow[],
  types: readonly ColumnType[],
  dialect: Dialect,
  slice: TimeSlice,
): Promise<Text> {
  const texts: string[] = ['['];
  for (const [ordinal, row] of rows.entries()) {
    if (slice.isOver()) await slice.pause();
    const cells = row.map((cell, part) => cellInput(cell, types[part], dialect));
    if (ordinal > 0) texts.push(',');
    if (!cells.some((cell) => cell !== null && isLongText(cell))) {
      texts.push(JSON.stringify([ordinal, ...cells]));
      continue;
    }
    texts.push('[', String(ordinal));
    for (const text of cells) {
      if (text === null) {
        texts.push(',null');
        continue;
      }
      texts.push(',');
      for (const piece of jsonStringPieces(text)) {
        texts.push(piece);
        if (slice.isOver()) await slice.pause();
      }
    }
    texts.push(']');
  }
  texts.push(']');
  return texts;
}

/** A cell as the text that a parameter of its type takes. */
export function cellInput(
  cell: string | null,
  type: ColumnType | undefined,
  dialect: Dialect,
): string | null {
  return cell === null || type === undefined ? cell : dialect.parameterText(cell, type);
}

/** How many keys become text in one turn of the event loop. */
const KEYS_PER_TURN = 5000;

interface TextContext {
  readonly database: { readonly dialect: Dialect };
  readonly activity: { readonly signal: AbortSignal };
}

/**
 * Keys as the JSON text that a statement takes, made in several turns of the event loop.
 * @param from the ordinal of the first key
 * @param to the ordinal after the last one
 * @throws the reason of the signal
 */
export async function keysText(
  keys: KeyList,
  from: number,
  to: number,
  { parameters }: Statement,
  { database: { dialect }, activity: { signal } }: TextContext,
): Promise<string> {
  const list = parameters.find(({ kind }) => kind === 'keyList' || kind === 'rows');
  const types = list?.kind === 'keyList' || list?.kind === 'rows' ? list.types : [];
  const pieces: string[] = [];
  for (let at = from; at < to; at += KEYS_PER_TURN) {
    if (at > from) {
      await setImmediate();
      signal.throwIfAborted();
    }
    const some = keys.slice(at, Math.min(at + KEYS_PER_TURN, to));
    pieces.push(rowsText(some, types, dialect, at).slice(1, -1));
  }
  return `[${pieces.join(',')}]`;
}
