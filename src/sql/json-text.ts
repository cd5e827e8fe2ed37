import { jsonStringPieces, withoutLast } from '../base/text.ts';
import { jsonCheck } from './json-check.ts';
import { ProtocolError } from '../base/errors.ts';

/**
 * Writers of JSON text for canonical values that both dialects share. A canonical value is plain text: digits
 * for numbers, `true`/`false`, ISO 8601 for dates.
 */

/** Decimals past this many digits, as integers past 2^53, may lose digits in a client that reads doubles. */
const SAFE_DIGITS = 15;

/** An integer or decimal with all its digits; as a JSON string where it is long and `longAsString` says so. */
export function numberJson(digits: string, longAsString: boolean): string {
  if (!longAsString || digits.length <= SAFE_DIGITS || isSafe(digits)) return digits;
  return `"${digits}"`;
}

function isSafe(digits: string): boolean {
  return digits.includes('.')
    ? digits.replace(/^-?0*|\./g, '').length <= SAFE_DIGITS
    : Number.isSafeInteger(Number(digits));
}

/** A binary floating point number in JavaScript's shortest form, the same on every engine; null for NaN and infinities. */
export function floatJson(value: number): string {
  return JSON.stringify(value);
}

/** How long a text is looked through whole, in characters: longer ones would hold up everybody else. */
const LOOKED_THROUGH = 1_048_576;

/** JSON text from a column whose type the engine itself holds to be JSON: what is altered while the gateway runs is seen in all but very long texts. */
export function nativeJson(text: string): string {
  return text.length > LOOKED_THROUGH ? text : embeddedJson(text);
}

/**
 * JSON text from a column of plain text: passed on as it is, so that numbers keep their digits. Text that is not JSON,
 * which a legacy column may hold, is answered as a JSON string: nothing is lost and the answer stays readable.
 */
export function embeddedJson(text: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch {
    return JSON.stringify(text);
  }
}

/** What {@link embeddedJson} makes of a long text, piece by piece, empty ones while it is looked through; null for a text that is not long. */
export function longEmbeddedJson(text: string): Generator<string, void> | null {
  return text.length > LOOKED_THROUGH ? embeddedPieces(text) : null;
}

function* embeddedPieces(text: string): Generator<string, void> {
  const check = jsonCheck(text);
  let looked = check.next();
  while (looked.done !== true) {
    yield '';
    looked = check.next();
  }
  if (looked.value) yield text;
  else yield* jsonStringPieces(text);
}

/**
 * `YYYY-MM-DD HH:MM:SS[.f]` (UTC) as ISO 8601 with `Z` and milliseconds, with more digits where there are more.
 * Anything else, such as PostgreSQL's `infinity`, is left as it is.
 */
export function isoTimestamp(text: string): string {
  const match = /^(\d{4,6}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d+))?(?:\+00(?::00)?|Z)?$/.exec(
    text,
  );
  if (match === null) return text;
  const [, date = '', time = '', fraction = ''] = match;
  return `${date}T${time}.${withoutLast(fraction, '0').padEnd(3, '0')}Z`;
}

/** `HH:MM:SS`, with milliseconds where there is a fraction, and with more digits where there are more. */
export function isoTime(text: string): string {
  const [whole = '', fraction = ''] = text.split('.');
  const digits = withoutLast(fraction, '0');
  return digits === '' ? whole : `${whole}.${digits.padEnd(3, '0')}`;
}

/**
 * The canonical text of an array: JSON of any depth, in which each item is null or the canonical text of the items' type.
 */

/** The items of an array: texts, nulls, and arrays of them. */
export type ArrayItems = readonly (string | null | ArrayItems)[];

/** @throws ProtocolError schemaChanged for what is no such text: a column may be altered while the gateway runs */
export function parseItems(text: string): ArrayItems {
  const items = parsed(text);
  if (areItems(items)) return items;
  throw ProtocolError.of('schemaChanged');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
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

/** Items of the same dimensions, each of them made by a function. */
export function mapItems(items: ArrayItems, one: (item: string) => string): ArrayItems {
  return items.map((item) => {
    if (item === null) return null;
    return isArray(item) ? mapItems(item, one) : one(item);
  });
}

/**
 * Texts as JSON needs them. A column may be altered while the gateway runs, and a driver then hands over what its new type
 * holds: that is an error, and never an answer that is not JSON.
 */

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
