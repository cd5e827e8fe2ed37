import { withoutPadding } from '../base/text.ts';
import type { StorageAttribute } from '../model/types.ts';
import type { Reader } from '../sql/dialect.ts';

/** How the values of an attribute are answered. */
export type ValueForm = Pick<StorageAttribute, 'trim' | 'simpleDate'>;

/** The writer of an attribute's values, other than null, as JSON text. */
export function valueWriter(
  { json, text }: Reader,
  { simpleDate, trim }: ValueForm,
): (value: unknown) => string {
  if (simpleDate) return (value) => withSimpleDates(json(value));
  if (trim) return (value) => JSON.stringify(withoutPadding(text(value)));
  return json;
}

/** JSON of dates, `"2024-07-04"` as `"4!7!2024"`; what has no such form, such as a date before Christ, as it is. */
function withSimpleDates(json: string): string {
  return json.replace(
    /"(\d{4})-(\d{2})-(\d{2})"/g,
    (_, year: string, month: string, day: string) => `"${Number(day)}!${Number(month)}!${year}"`,
  );
}
