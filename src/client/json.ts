/** A number that neither `number` nor `bigint` can hold, with all its digits; it is sent back as it came. */
export class ExactNumber {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }

  toString(): string {
    return this.digits;
  }
}

/** The values of JSON objects: numbers that a double would round are `bigint`, or with decimals {@link ExactNumber}. */
export type JsonValue =
  | string
  | number
  | boolean
  | bigint
  | ExactNumber
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

/** Begins the texts that stand for numbers in JSON. It is random, so that no other text begins with it. */
const MARK = `number-${Math.random().toString(36).slice(2)}-`;

const MARKED = new RegExp(`"${MARK}([^"]*)"`, 'g');

const TOKEN = /"|\\.|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?)/gi;

/** Parses JSON. A number that JavaScript would write in another way comes as an {@link ExactNumber}. @throws SyntaxError */
export function parseJson(text: string): unknown {
  let isQuoted = false;
  const marked = text.replace(TOKEN, (token: string, number?: string) => {
    if (token === '"') isQuoted = !isQuoted;
    const isExact = isQuoted || number === undefined || String(Number(number)) === number;
    return isExact ? token : `"${MARK}${number}"`;
  });
  return JSON.parse(marked, (_, value: unknown) =>
    typeof value === 'string' && value.startsWith(MARK)
      ? new ExactNumber(value.slice(MARK.length))
      : value,
  );
}

/** Writes JSON: `bigint` and {@link ExactNumber} as numbers, bytes as Base64. */
export function jsonText(value: unknown): string {
  const write = function (this: Readonly<Record<string, unknown>>, name: string, json: unknown) {
    const own = this[name];
    if (typeof own === 'bigint' || own instanceof ExactNumber) return MARK + String(own);
    return own instanceof Uint8Array ? base64(own) : json;
  };
  return JSON.stringify(value, write).replace(MARKED, '$1');
}

function base64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

/** A `number` where it keeps all digits, else a `bigint`, else the number as it is. */
export function simplestNumber(exact: ExactNumber): number | bigint | ExactNumber {
  const { digits } = exact;
  // A double keeps any 15 digits.
  if (digits.replace(/\D/g, '').length <= 15 && Number.isFinite(Number(digits))) {
    return Number(digits);
  }
  return /^-?\d+$/.test(digits) ? BigInt(digits) : exact;
}

/** Whether a value is an object or a list of JSON. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !(value instanceof ExactNumber);
}
