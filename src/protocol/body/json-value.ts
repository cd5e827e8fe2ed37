/** A number of JSON with all its digits, as it was written, where a number of JavaScript's would write it otherwise. */
export class Digits {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value of JSON whose numbers have kept their digits. */
export type JsonValue =
  null | boolean | string | number | Digits | readonly JsonValue[] | JsonObject;

/** An object of JSON, its members in their order. */
export interface JsonObject {
  readonly [name: string]: JsonValue;
}

/** The digits of a number as they were written; null for anything else. */
export function digitsOf(value: JsonValue | undefined): string | null {
  if (typeof value === 'number') return String(value);
  return value instanceof Digits ? value.text : null;
}

/** Whether a value is an object, not an array, a number or null. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Digits)
  );
}

/** Whether a value is an array. */
export function isJsonArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** The error of text that is not JSON, with the 1-based position where reading failed. */
export class BrokenJson extends Error {
  readonly position: number;

  constructor(message: string, position: number) {
    super(message);
    this.name = 'BrokenJson';
    this.position = position;
  }
}

/** A list of entities is longer than it may be; the rest of the text was not read. */
export class TooManyEntities extends Error {}
