import { parse, stringify } from 'lossless-json';

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
    return parse(text, null, { parseNumber: numberOf }) as JsonValue;
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof RangeError) throw new BrokenJson('it is nested too deeply', 1);
    const [, reason = message, position = '0'] =
      /^(.*) (?:at|starting at) position (\d+)/.exec(message) ?? [];
    throw new BrokenJson(lowerFirst(reason), Number(position) + 1);
  }
}

/** Long arrays of short numbers are common: an object for each would take many times the text's memory. */
function numberOf(digits: string): number | Digits {
  const value = Number(digits);
  return String(value) === digits ? value : new Digits(digits);
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

/** JSON text without blanks; numbers as they were written. */
export function jsonText(value: JsonValue): string {
  if (!holdsDigits(value)) return JSON.stringify(value);
  const digits = {
    test: (item: unknown) => item instanceof Digits,
    stringify: (item: unknown) => (item as Digits).text,
  };
  return stringify(value, null, undefined, [digits]) ?? 'null';
}

/** `Unexpected` as `unexpected`, but `JSON` as it is. */
function holdsDigits(value: JsonValue): boolean {
  if (value === null || typeof value !== 'object') return false;
  if (value instanceof Digits) return true;
  return isJsonArray(value) ? value.some(holdsDigits) : Object.values(value).some(holdsDigits);
}

function lowerFirst(text: string): string {
  return /^[A-Z]{2}/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1);
}
