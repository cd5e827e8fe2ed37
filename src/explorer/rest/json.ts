import { LosslessNumber, parse, stringify } from 'lossless-json';

/** A number that a JavaScript number would not show digit for digit, such as 9007199254740993 or 1.50; `toString()` gives its digits. */
export type ExactNumber = LosslessNumber;

/** A JSON value, its numbers exact. */
export type Json =
  | null
  | boolean
  | number
  | string
  | ExactNumber
  | readonly Json[]
  | { readonly [name: string]: Json };

/** A JSON object. */
export type JsonObject = Readonly<Record<string, Json>>;

/** Parses JSON; numbers keep all digits. @throws SyntaxError where the text is not JSON */
export function parseJson(text: string): Json {
  return parse(text, null, {
    parseNumber: exactNumber,
    // An object attribute may hold JSON whose names repeat; like JSON.parse, the last one counts.
    onDuplicateKey: ({ newValue }) => newValue,
  }) as Json;
}

/** Writes JSON; exact numbers are written with their digits. @param indent blanks for each level, none where it is left out */
export function writeJson(value: unknown, indent?: number): string {
  return stringify(value, undefined, indent) ?? 'null';
}

/** A number by its text: a JavaScript number where that shows the same digits, otherwise an exact one. */
export function exactNumber(text: string): number | ExactNumber {
  return String(Number(text)) === text ? Number(text) : new LosslessNumber(text);
}

/** Whether a value is a number, exact or not. */
export function isNumber(value: unknown): value is number | ExactNumber {
  return typeof value === 'number' || isExactNumber(value);
}

/** Whether a value is an {@link ExactNumber}. */
export function isExactNumber(value: unknown): value is ExactNumber {
  return value instanceof LosslessNumber;
}

/** Whether a value is a JSON object: not null, an array or a number. */
export function isObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value)
  );
}

/** The objects in an array; none where a value is not an array. */
export function objectsIn(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? (value as readonly Json[]).filter(isObject) : [];
}

/** The text of a plain value, a number with its digits; empty for null, objects and arrays. */
export function plainText(value: Json | undefined): string {
  if (typeof value === 'object' && !isExactNumber(value)) return '';
  return value === undefined ? '' : value.toString();
}

/** The texts in an array; none where a value is not an array. */
export function textsIn(value: Json | undefined): string[] {
  return Array.isArray(value) ? (value as readonly Json[]).flatMap((one) => text(one) ?? []) : [];
}

/** A text; null for any other value. */
export function text(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}
