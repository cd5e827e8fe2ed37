import { Filter, type FilterParameter } from './filter.ts';
import { isObject, jsonText } from './json.ts';

/** The entities of an answer, and what of them is answered. */
export interface Query {
  readonly filter?: Filter | string | undefined;
  readonly orderby?: string | undefined;
  readonly top?: number | undefined;
  readonly skip?: number | undefined;
  readonly attributes?: string | undefined;
}

/** A URL's query with its `?`, or nothing. The values of a filter become `$params`. */
export function queryText(
  { filter, orderby, top, skip, attributes }: Query,
  more: Readonly<Record<string, unknown>> = {},
): string {
  const values: FilterParameter[] = [];
  const condition = filter instanceof Filter ? filter.write(values) : filter;
  const parameters = {
    // In quotes, `&`, `=` and quotes may stand.
    $filter: condition === undefined ? undefined : `"${condition}"`,
    $params: values.length === 0 ? undefined : jsonText(values),
    $orderby: orderby === undefined ? undefined : `"${orderby}"`,
    $top: top,
    $skip: skip,
    $attributes: attributes,
    ...more,
  };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) query.set(name, String(value));
  }
  return query.size === 0 ? '' : `?${query.toString()}`;
}

/** A key in a URL: `(5)`. @param names the attributes of the dataclass's key @throws TypeError for what is not a key */
export function keyText(key: unknown, names: readonly string[]): string {
  const value = isObject(key) && '__KEY' in key ? key['__KEY'] : key;
  const [name = '', ...more] = names;
  // The `__KEY` of several attributes is the JSON of their object.
  if (more.length > 0 && typeof value === 'string') return `(${encodeURIComponent(value)})`;
  const parts = more.length > 0 && isObject(value) ? value : { [name]: value };
  const given = names.map((part) => [part, parts[part]] as const);
  const isKey = given.every(([, part]) => ['string', 'number', 'bigint'].includes(typeof part));
  if (!isKey || names.length === 0) throw new TypeError(`Expected a key: ${names.join(', ')}.`);
  const text = more.length > 0 ? jsonText(Object.fromEntries(given)) : quoted(String(value));
  return `(${encodeURIComponent(text)})`;
}

/** Within quotes, a quote of the same kind closes them where a comma or a semicolon follows it. */
function quoted(text: string): string {
  if (/^[\w.-]+$/.test(text)) return text;
  const quote = /"\s*[,;]/.test(text) ? "'" : '"';
  return quote + text + quote;
}
