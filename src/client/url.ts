import { Filter } from './filter.ts';
import { isObject, jsonText } from './json.ts';

/** The values of parameters by their names; those that are undefined are left out. */
export type Parameters = Readonly<Record<string, string | number | boolean | Filter | undefined>>;

/** Parameters whose values are expressions, in which quotes, `&` and `=` may stand. */
const EXPRESSIONS: ReadonlySet<string> = new Set([
  '$filter',
  '$orderby',
  '$savedfilter',
  '$savedorderby',
]);

/** A URL's query with its `?`, or nothing. The values of a filter become `$params`. */
export function queryText(parameters: Parameters): string {
  const parts: string[] = [];
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) continue;
    const text = String(value);
    parts.push(`${name}=${escaped(EXPRESSIONS.has(name) ? `"${text}"` : text)}`);
    if (value instanceof Filter && value.values.length > 0) {
      parts.push(`$params=${escaped(jsonText(value.values) ?? '')}`);
    }
  }
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

/** A key as a client has it: its value, an object of several parts, or an entity. */
export type KeyValue = unknown;

/** Keys that need no quotes. */
const PLAIN = /^[\w.-]+$/;

/** The path of an entity: `/Employee(5)`. @param names the attributes of the dataclass's key @throws TypeError for what is not a key */
export function entityPath(dataclass: string, key: KeyValue, names: readonly string[]): string {
  return `/${escaped(dataclass)}(${escaped(keyText(key, names))})`;
}

function keyText(key: KeyValue, names: readonly string[]): string {
  if (isObject(key) && typeof key['__KEY'] === 'string') {
    return names.length > 1 ? key['__KEY'] : quoted(key['__KEY'], names);
  }
  if (names.length > 1) {
    if (!isObject(key)) throw new TypeError(`The key needs ${names.join(', ')}.`);
    return jsonText(Object.fromEntries(names.map((name) => [name, key[name]]))) ?? '';
  }
  if (typeof key === 'string' || typeof key === 'number' || typeof key === 'bigint') {
    return quoted(String(key), names);
  }
  throw new TypeError('Expected a key.');
}

/** A quote inside quotes closes them where a comma or a semicolon follows it. */
function quoted(text: string, [name = '']: readonly string[]): string {
  if (PLAIN.test(text)) return text;
  const quote =
    ['"', "'"].find((own) => !text.includes(own)) ??
    ['"', "'"].find((own) => !new RegExp(`${own}\\s*[,;]`).test(text));
  return quote === undefined ? JSON.stringify({ [name]: text }) : `${quote}${text}${quote}`;
}

/** Escapes a text for a URL. @throws URIError for half of a surrogate pair, which has no escape */
export function escaped(text: string): string {
  return encodeURIComponent(text);
}
