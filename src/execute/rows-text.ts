import { jsonStringPieces } from '../base/json-string.ts';
import type { Text } from '../base/text-pieces.ts';
import type { TimeSlice } from '../base/time-slice.ts';
import type { ColumnType } from '../schema/types.ts';
import type { Dialect } from '../sql/dialect.ts';

/** A row that a statement is given, a key or what is to be written: canonical texts and nulls. */
export type InputRow = readonly (string | null)[];

/** A cell of more characters takes longer to become JSON than others are to wait. */
const LONG = 524_288;

/**
 * Rows as JSON text, each with its ordinal before its fields.
 * @param first the ordinal of the first one
 */
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

/** Whether a row has a text that takes long to become JSON. */
export function hasLongCell(rows: readonly InputRow[]): boolean {
  return rows.some((row) => row.some((cell) => cell !== null && cell.length > LONG));
}

/** The same as {@link rowsText}, in slices, as its pieces. @throws the reason of the slice's signal */
export async function longRowsText(
  rows: readonly InputRow[],
  types: readonly ColumnType[],
  dialect: Dialect,
  slice: TimeSlice,
): Promise<Text> {
  const texts: string[] = ['['];
  for (const [ordinal, row] of rows.entries()) {
    texts.push(ordinal === 0 ? '[' : ',[', String(ordinal));
    for (const [part, cell] of row.entries()) {
      const text = cellInput(cell, types[part], dialect);
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
