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

/** A `number` where it has the same value, else a `bigint`, else the number as it is. */
export function simplestNumber(exact: ExactNumber): number | bigint | ExactNumber {
  const { digits } = exact;
  const value = Number(digits);
  if (scientific(String(value)) === scientific(digits)) return value;
  return /^-?\d+$/.test(digits) ? BigInt(digits) : exact;
}

/** One spelling for all spellings of a number without its sign: the digits between the zeros at its ends, and the power of ten. */
function scientific(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = whole + fraction;
  const significant = digits.replace(/^[-0]+|(?<!0)0+$/g, '');
  return (
    significant && `${significant}e${whole.length - digits.search(/[1-9]/) + Number(exponent)}`
  );
}

/** Whether a value is an object or a list of JSON. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !(value instanceof ExactNumber);
}
