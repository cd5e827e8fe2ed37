import { parse, stringify } from 'lossless-json';

/** A number of JSON with all its digits, as it was written. */
export class Digits {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value of JSON whose numbers have kept their digits. */
export type JsonValue = null | boolean | string | Digits | readonly JsonValue[] | JsonObject;

/** An object of JSON, its members in their order. */
export interface JsonObject {
  readonly [name: string]: JsonValue;
}

/** Text that is no JSON: where reading failed, 1-based, and why. */
export class BrokenJson extends Error {
  readonly position: number;

  constructor(message: string, position: number) {
    super(message);
    this.name = 'BrokenJson';
    this.position = position;
  }
}

/**
 * Reads JSON text.
 * @throws BrokenJson for anything else, also for one member given twice and for nesting that is too deep to read
 */
export function parseJson(text: string): JsonValue {
  try {
    return parse(text, null, { parseNumber: (digits) => new Digits(digits) }) as JsonValue;
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof RangeError) throw new BrokenJson('it is nested too deeply', 1);
    const [, reason = message, position = '0'] =
      /^(.*) (?:at|starting at) position (\d+)/.exec(message) ?? [];
    throw new BrokenJson(lowerFirst(reason), Number(position) + 1);
  }
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

/** JSON text without blanks; numbers as they were written. */
export function jsonText(value: JsonValue): string {
  const digits = {
    test: (item: unknown) => item instanceof Digits,
    stringify: (item: unknown) => (item as Digits).text,
  };
  return stringify(value, null, undefined, [digits]) ?? 'null';
}

/** `Unexpected` as `unexpected`, but `JSON` as it is. */
function lowerFirst(text: string): string {
  return /^[A-Z]{2}/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1);
}
