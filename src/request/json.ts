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
 * Reads JSON text. Of members of one name the last one counts, as in the engines' own JSON; {@link repetitionIn} tells of them.
 * @throws BrokenJson for anything else, also for nesting that is too deep to read
 */
export function parseJson(text: string): JsonValue {
  const found: Repeated[] = [];
  const onDuplicateKey = ({ newValue, position }: Duplicate): Repeated => {
    const repeated = new Repeated(newValue as JsonValue, position + 1);
    found.push(repeated);
    return repeated;
  };
  try {
    const value = parse(text, null, { parseNumber: numberOf, onDuplicateKey }) as JsonValue;
    if (found.length > 0) noteRepetitions(value);
    return value;
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof RangeError) throw new BrokenJson('it is nested too deeply', 1);
    const [, reason = message, position = '0'] =
      /^(.*) (?:at|starting at) position (\d+)/.exec(message) ?? [];
    throw new BrokenJson(lowerFirst(reason), Number(position) + 1);
  }
}

/** What the parser tells of a member whose name the object has already: the 1-based position of its quote. */
interface Duplicate {
  readonly newValue: unknown;
  readonly position: number;
}

/** Stands for a value in an object that had a member of its name before, until the whole text is read. */
class Repeated {
  readonly value: JsonValue;
  readonly position: number;

  constructor(value: JsonValue, position: number) {
    this.value = value;
    this.position = position;
  }
}

/** What is wrong with objects that name a member twice, where that matters. */
const repetitions = new WeakMap<JsonObject, BrokenJson>();

/** The first member that an object of a text names twice; undefined where there is none. */
export function repetitionIn(object: JsonObject): BrokenJson | undefined {
  return repetitions.get(object);
}

/** Puts the values in the place of what stands for them, and notes in which objects. */
function noteRepetitions(value: JsonValue): void {
  if (isJsonArray(value)) value.forEach(noteRepetitions);
  if (!isJsonObject(value)) return;
  for (const [name, member] of Object.entries<JsonValue | Repeated>(value)) {
    if (!(member instanceof Repeated)) {
      noteRepetitions(member);
      continue;
    }
    Object.defineProperty(value, name, { value: member.value });
    noteRepetitions(member.value);
    if (repetitions.has(value)) continue;
    const reason = `duplicate key '${name}' encountered`;
    repetitions.set(value, new BrokenJson(reason, member.position));
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

/** Whether a value is or holds a number that JavaScript would write otherwise. */
function holdsDigits(value: JsonValue): boolean {
  if (value === null || typeof value !== 'object') return false;
  if (value instanceof Digits) return true;
  return isJsonArray(value) ? value.some(holdsDigits) : Object.values(value).some(holdsDigits);
}

/** `Unexpected` as `unexpected`, but `JSON` as it is. */
function lowerFirst(text: string): string {
  return /^[A-Z]{2}/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1);
}
