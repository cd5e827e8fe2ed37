import { withoutPadding } from '../base/text.ts';
import type { StorageAttribute } from '../model/types.ts';
import type { Reader } from '../sql/ir/statement.ts';

/** The reader of a result column. @throws Error where there is none */
export function readerOf(readers: readonly Reader[], column: number): Reader {
  const found = readers[column];
  if (found === undefined) throw new Error(`result column ${column} has no reader`);
  return found;
}

/** The writer of an attribute's values, other than null, as JSON text. */
export function valueWriter(
  { json, text }: Reader,
  { simpleDate, trim }: Pick<StorageAttribute, 'trim' | 'simpleDate'>,
): (value: unknown) => string {
  if (simpleDate) return (value) => withSimpleDates(json(value));
  if (trim) return (value) => JSON.stringify(withoutPadding(text(value)));
  return json;
}

/** Writes `"2024-07-04"` as `"4!7!2024"`. A date of another form, such as one before Christ, stays as it is. */
function withSimpleDates(json: string): string {
  return json.replace(
    /"(\d{4})-(\d{2})-(\d{2})"/g,
    (_, year: string, month: string, day: string) => `"${Number(day)}!${Number(month)}!${year}"`,
  );
}
