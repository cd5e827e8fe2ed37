/** A number of a JSON object that neither `number` nor `bigint` can hold, with all its digits; it is sent back as it came. */
export class ExactNumber {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }

  toString(): string {
    return this.digits;
  }
}

/** The values of JSON objects: numbers that a double would round come as `bigint`, or with decimals as {@link ExactNumber}. */
export type JsonValue =
  | string
  | number
  | boolean
  | bigint
  | ExactNumber
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

/** The first character of texts that stand for the digits of a number. A text that begins with it has it twice. */
const MARK = '\u0000';

/** JSON's escape of {@link MARK}. */
const ESCAPED_MARK = '\\u0000';

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?/iy;

/** Parses JSON. Numbers that JavaScript would write in another way come as texts that {@link digitsOf} reads. @throws SyntaxError */
export function parseJson(text: string): unknown {
  const pieces: string[] = [];
  let copied = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === 0x22) {
      if (text.startsWith(ESCAPED_MARK, at + 1)) {
        pieces.push(text.slice(copied, at + 1), ESCAPED_MARK);
        copied = at + 1;
      }
      at = endOfText(text, at);
    } else if (character === 0x2d || (character >= 0x30 && character <= 0x39)) {
      NUMBER.lastIndex = at;
      const digits = NUMBER.exec(text)?.[0];
      // What is not a number is left for JSON.parse to refuse.
      if (digits === undefined) continue;
      if (String(Number(digits)) !== digits) {
        pieces.push(text.slice(copied, at), `"${ESCAPED_MARK}${digits}"`);
        copied = at + digits.length;
      }
      at += digits.length - 1;
    }
  }
  return JSON.parse(pieces.join('') + text.slice(copied));
}

/** The offset of the quote that closes the text that opens at an offset. */
function endOfText(text: string, start: number): number {
  let end = start;
  for (;;) {
    end = text.indexOf('"', end + 1);
    if (end < 0) return text.length;
    let backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
}

/** The digits of a number as the JSON had them; null for other values. */
export function digitsOf(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string' || !value.startsWith(MARK) || value.startsWith(MARK, 1))
    return null;
  return value.slice(1);
}

/** Replaces what {@link parseJson} marked within a value, in place, by numbers that keep their digits. */
export function plainValue(value: unknown): unknown {
  if (typeof value === 'string') {
    const digits = digitsOf(value);
    if (digits !== null) return exactNumber(digits);
    return value.startsWith(MARK) ? value.slice(1) : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const members = value as Record<string, unknown>;
  for (const [name, member] of Object.entries(members)) {
    const plain = plainValue(member);
    if (plain !== member) members[name] = plain;
  }
  return members;
}

/** A `number` where that has the same value, else a `bigint` or an {@link ExactNumber}. */
function exactNumber(digits: string): number | bigint | ExactNumber {
  const value = Number(digits);
  if (scientific(String(value)) === scientific(digits)) return value;
  return /^-?\d+$/.test(digits) ? BigInt(digits) : new ExactNumber(digits);
}

/** One spelling for all spellings of a number: its digits without zeros at the ends, and the power of ten of the last one. */
function scientific(text: string): string {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/(?<!0)0+$/, '');
  if (significant === '') return '0';
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return `${sign}${significant}e${power}`;
}

/** Writes JSON: `bigint` and {@link ExactNumber} as numbers, bytes as Base64. Undefined for what JSON has no form for. */
export function jsonText(value: unknown): string | undefined {
  if (typeof value === 'bigint' || value instanceof ExactNumber) return String(value);
  if (typeof value !== 'object' || value === null || value instanceof Date) {
    return JSON.stringify(value);
  }
  if (value instanceof Uint8Array) return `"${base64(value)}"`;
  if (Array.isArray(value)) return `[${value.map((item) => jsonText(item) ?? 'null').join(',')}]`;
  const members = Object.entries(value).flatMap(([name, member]) => {
    const text = jsonText(member);
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`];
  });
  return `{${members.join(',')}}`;
}

/** Bytes that are turned into characters at once: functions take a limited number of arguments. */
const AT_ONCE = 32_768;

function base64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += AT_ONCE) {
    text += String.fromCharCode(...bytes.subarray(at, at + AT_ONCE));
  }
  return btoa(text);
}

/** Whether a value is an object or a list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
