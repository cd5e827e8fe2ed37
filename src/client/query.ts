import { isObject, jsonText } from './json.ts';

/** A value that a filter compares with. Decimals may be their digits as text. */
export type FilterValue = string | number | bigint | boolean | Date | null;

/** A value, or a list for `IN`. */
export type FilterParameter = FilterValue | readonly FilterValue[];

/** A condition, and its values, which travel beside it as `$params`. */
export class Filter {
  /** Writes the condition with the placeholders `:1`, `:2` and so on, and appends their values to a list. */
  readonly write: (parameters: FilterParameter[]) => string;

  constructor(write: (parameters: FilterParameter[]) => string) {
    this.write = write;
  }
}

/**
 * Makes a filter of a template, whose values never become part of the expression: `` filter`lastName begin ${name} AND grade > ${5}` ``. A list goes
 * with IN: `` filter`ID IN ${[1, 2]}` ``. A filter within a filter stands in parentheses: `` filter`${one} OR ${other}` ``.
 * @throws TypeError for a value that is undefined
 */
export function filter(
  texts: TemplateStringsArray,
  ...values: readonly (FilterParameter | Filter)[]
): Filter {
  const missing = values.findIndex((value) => (value as unknown) === undefined);
  if (missing >= 0) {
    throw new TypeError(`The value behind "${texts[missing] ?? ''}" of a filter is undefined.`);
  }
  return new Filter((parameters) =>
    texts.reduce((written, text, index) => {
      const value = values[index - 1] ?? null;
      const isNested = value instanceof Filter;
      const operand = isNested ? `(${value.write(parameters)})` : `:${parameters.push(value)}`;
      return written + operand + text;
    }),
  );
}

/** The options of every request. */
export interface RequestOptions {
  /** Ends the request; the gateway then cancels its statements. */
  readonly signal?: AbortSignal | undefined;
}

/** Which entities are answered, and in which order. */
export interface Selection extends RequestOptions {
  readonly filter?: Filter | string | undefined;
  /** Attributes and directions: `lastName, hireDate DESC`. */
  readonly orderby?: string | undefined;
}

/** A page of what is selected. */
export interface Paging extends Selection {
  /** How many at most; 100 where it is left out. */
  readonly top?: number | undefined;
  /** How many are skipped. */
  readonly skip?: number | undefined;
}

/** A page, and what is answered of each entity, or which groups. */
export interface Query extends Paging {
  readonly attributes?: string | undefined;
  /** Which groups are answered. */
  readonly having?: Filter | string | undefined;
}

/** A URL's query with its `?`, or nothing. The values of a filter become `$params`. */
export function queryText(
  { filter, having, orderby, top, skip, attributes }: Query,
  more: Readonly<Record<string, unknown>> = {},
): string {
  const values: FilterParameter[] = [];
  const written = (condition: Filter | string | undefined): string | undefined =>
    quotedText(condition instanceof Filter ? condition.write(values) : condition);
  const parameters = {
    $filter: written(filter),
    $having: written(having),
    $params: values.length === 0 ? undefined : jsonText(values),
    $orderby: quotedText(orderby),
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

/** In quotes, `&`, `=` and quotes may stand. */
function quotedText(text: string | undefined): string | undefined {
  return text === undefined ? undefined : `"${text}"`;
}

/** A key in a URL: `(5)`. @param names the attributes of the dataclass's key @throws TypeError for what is not a key */
export function keyText(key: unknown, names: readonly string[]): string {
  const value = isObject(key) && '__KEY' in key ? key['__KEY'] : key;
  const isOne = names.length === 1;
  // The `__KEY` of several attributes is the JSON of their object.
  if (!isOne && typeof value === 'string') return `(${encodeURIComponent(value)})`;
  const parts = names.map((name) => (isOne ? value : isObject(value) ? value[name] : undefined));
  const isKey = parts.every((part) => ['string', 'number', 'bigint'].includes(typeof part));
  if (!isKey || names.length === 0) throw new TypeError(`Expected a key: ${names.join(', ')}.`);
  const object = Object.fromEntries(names.map((name, index) => [name, parts[index]]));
  return `(${encodeURIComponent(isOne ? quoted(String(value)) : jsonText(object))})`;
}

/** Within quotes, a quote of the same kind closes them where a comma or a semicolon follows it. */
function quoted(text: string): string {
  if (/^[\w.-]+$/.test(text)) return text;
  const quote = /"\s*[,;]/.test(text) ? "'" : '"';
  return quote + text + quote;
}
