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

/** A character that has to be escaped, an escape, or what begins as one. */
// eslint-disable-next-line no-control-regex -- JSON allows none of them in a text
const SPECIAL = /\\(?:u[^"]{0,4}|[^u]?)|[\u0000-\u001f]/gi;

const ESCAPE = /^\\(?:["\\/bfnrt]|u[\da-f]{4})$/i;

/** The longest text in which the position of a wrong escape is searched. */
const SEARCHED = 65_536;

/** The error of a text with a wrong character or escape. @param from the 0-based offset where it begins */
export function wrongText(raw: string, from: number): BrokenJson {
  if (raw.length > SEARCHED) return new BrokenJson('invalid character or escape in a text', from);
  for (const { 0: special, index } of raw.matchAll(SPECIAL)) {
    if (ESCAPE.test(special)) continue;
    const what = !special.startsWith('\\')
      ? 'character'
      : /^\\u/i.test(special)
        ? 'unicode character'
        : 'escape character';
    return new BrokenJson(`invalid ${what} '${special}'`, from + index + 1);
  }
  return new BrokenJson("end of string '\"' expected", from + raw.length + 1);
}
