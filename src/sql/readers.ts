import {
  jsonString,
  jsonStringPieces,
  longJsonString,
  mayBeLong,
  withoutLast,
} from '../base/text.ts';
import { partText } from '../base/date-parts.ts';
import type { ColumnType } from '../schema/types.ts';
import type { DialectSettings } from './dialect.ts';
import type { Reader, WireValue } from './ir/statement.ts';
import { jsonCheck } from './json-check.ts';
import { ProtocolError } from '../base/errors.ts';

/** Makes a reader of a function that gives a value's canonical text, and of one that gives the JSON of that. */
export function reader(
  text: (value: WireValue) => string,
  json: (text: string) => string = (plain) => plain,
): Reader {
  return { text, json: (value) => json(text(value)) };
}

/** Reads text that is not a column's. */
export const textReader: Reader = reader(String, jsonString);

const longTextReader: Reader = {
  ...textReader,
  longJson: (value) => longJsonString(String(value)),
};

/** Reads bytes as Base64, which is how calls answer them. */
export function base64Reader(bytes: (value: WireValue) => Buffer): Reader {
  return reader((value) => bytes(value).toString('base64'), quoted);
}

/** A type that both drivers hand over alike. */
type SharedType = Exclude<ColumnType, { readonly kind: 'boolean' | 'timestamp' | 'hex' }>;

/** The reader of a type that both drivers hand over alike: as text, or as a number that is written as that text. */
export function sharedReader(type: SharedType, { bigNumbersAsStrings }: DialectSettings): Reader {
  switch (type.kind) {
    case 'integer':
      return type.bits === 64
        ? reader(String, (value) => numberJson(wholeNumber(value), bigNumbersAsStrings))
        : reader(String, wholeNumber);
    case 'decimal':
      return reader(String, (value) => numberJson(plainDecimal(value), bigNumbersAsStrings));
    case 'float':
      return reader(String, (value) => floatJson(Number(value)));
    case 'uuid':
      return reader((value) => String(value).toLowerCase(), quoted);
    case 'date': {
      const { part } = type;
      return reader(part === undefined ? String : (day) => partText(part, String(day)), quoted);
    }
    case 'time':
      return reader((value) => isoTime(String(value)), quoted);
    case 'json':
      return {
        ...reader(String, embeddedJson),
        longJson: (value) => longEmbeddedJson(String(value)),
      };
    case 'text':
      return mayBeLong(type.maxLength) ? longTextReader : textReader;
    case 'opaque':
      return longTextReader;
    case 'binary':
      return textReader;
  }
}

// JSON text of canonical values. A canonical value is plain text: digits, `true` or `false`, ISO 8601 for dates.

/** Decimals with more digits, and integers past 2^53, may lose digits in a client that reads doubles. */
const SAFE_DIGITS = 15;

/** An integer or decimal with all its digits; a long one as a JSON string if `longAsString` is set. */
export function numberJson(digits: string, longAsString: boolean): string {
  if (!longAsString || digits.length <= SAFE_DIGITS || isSafe(digits)) return digits;
  return `"${digits}"`;
}

function isSafe(digits: string): boolean {
  return digits.includes('.')
    ? digits.replace(/^-?0*|\./g, '').length <= SAFE_DIGITS
    : Number.isSafeInteger(Number(digits));
}

/** A float in JavaScript's shortest form; null for NaN and infinities. */
export function floatJson(value: number): string {
  return JSON.stringify(value);
}

/** How many characters are checked at once: longer texts would hold up other requests. */
const CHECKED_AT_ONCE = 1_048_576;

/** JSON text of a JSON column. It is checked, unless it is very long, because the column may be altered while the gateway runs. */
export function nativeJson(text: string): string {
  return text.length > CHECKED_AT_ONCE ? text : embeddedJson(text);
}

/** JSON text from a text column, unchanged so that numbers keep their digits. Text that is not JSON, as in legacy columns, becomes a JSON string. */
export function embeddedJson(text: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch {
    return JSON.stringify(text);
  }
}

/** As {@link embeddedJson}, of a long text in pieces, which are empty while it is checked; null for other texts. */
export function longEmbeddedJson(text: string): Generator<string, void> | null {
  return text.length > CHECKED_AT_ONCE ? embeddedPieces(text) : null;
}

function* embeddedPieces(text: string): Generator<string, void> {
  const check = jsonCheck(text);
  let step = check.next();
  for (; step.done !== true; step = check.next()) yield '';
  if (step.value) yield text;
  else yield* jsonStringPieces(text);
}

const TIMESTAMP = /^(\d{4,6}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d+))?(?:\+00(?::00)?|Z)?$/;

/** Writes `YYYY-MM-DD HH:MM:SS[.f]` (UTC) as ISO 8601 with `Z` and at least milliseconds. Anything else, as `infinity`, is left as it is. */
export function isoTimestamp(text: string): string {
  const [matched, date = '', time = '', fraction = ''] = TIMESTAMP.exec(text) ?? [];
  if (matched === undefined) return text;
  return `${date}T${time}.${withoutLast(fraction, '0').padEnd(3, '0')}Z`;
}

/** `HH:MM:SS` with milliseconds if there is a fraction, and more digits if there are more. */
export function isoTime(text: string): string {
  const [whole = '', fraction = ''] = text.split('.');
  const digits = withoutLast(fraction, '0');
  return digits === '' ? whole : `${whole}.${digits.padEnd(3, '0')}`;
}

/** The items of an array's canonical text, which is JSON of any depth: nulls, canonical texts of the items' type, and arrays of them. */
export type ArrayItems = readonly (string | null | ArrayItems)[];

/** @throws ProtocolError schemaChanged for other text: a column may be altered while the gateway runs */
export function parseItems(text: string): ArrayItems {
  try {
    const items: unknown = JSON.parse(text);
    if (areItems(items)) return items;
  } catch {
    // As for JSON of another form.
  }
  throw ProtocolError.of('schemaChanged');
}

function areItems(value: unknown): value is ArrayItems {
  return (
    Array.isArray(value) &&
    value.every((item) => item === null || typeof item === 'string' || areItems(item))
  );
}

/** Whether an item is an array itself. */
export function isArray(item: string | null | ArrayItems): item is ArrayItems {
  return Array.isArray(item);
}

/** JSON text of items, each of which is written by a function. */
export function itemsJson(items: ArrayItems, json: (item: string) => string): string {
  const texts = items.map((item) => {
    if (item === null) return 'null';
    return isArray(item) ? itemsJson(item, json) : json(item);
  });
  return `[${texts.join(',')}]`;
}

/** Items of the same dimensions, each converted by a function. */
export function mapItems(items: ArrayItems, one: (item: string) => string): ArrayItems {
  return items.map((item) => {
    if (item === null) return null;
    return isArray(item) ? mapItems(item, one) : one(item);
  });
}

// A column may be altered while the gateway runs, and the driver then hands over values of its new type: that is an error, so
// that an answer is always JSON.

/** @throws ProtocolError schemaChanged for what is not a whole number */
export function wholeNumber(text: string): string {
  return matching(text, /^-?\d+$/);
}

/** @throws ProtocolError schemaChanged for what is not a plain number */
export function plainDecimal(text: string): string {
  return matching(text, /^-?(?:\d+(?:\.\d+)?|\.\d+)$/);
}

/** Text that needs no escapes, in quotes. @throws ProtocolError schemaChanged for other text */
export function quoted(text: string): string {
  return `"${matching(text, /^[^"\\\p{Cc}]*$/u)}"`;
}

/** @throws ProtocolError schemaChanged for what is neither of two texts */
export function truth(value: unknown, yes: readonly unknown[], no: readonly unknown[]): string {
  if (yes.includes(value)) return 'true';
  if (no.includes(value)) return 'false';
  throw ProtocolError.of('schemaChanged');
}

function matching(text: string, pattern: RegExp): string {
  if (pattern.test(text)) return text;
  throw ProtocolError.of('schemaChanged');
}
