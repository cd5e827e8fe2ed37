import { ProtocolError } from '../../base/errors.ts';
import { MOST_ITEMS, type RequestLimits } from '../../base/limits.ts';
import type { Explain, FilterNode, KeyNode, Literal, ReadRequest, Slot } from '../ast.ts';
import { parseFilter } from '../filter.ts';
import { keyShape, parseKey } from './key.ts';
import { flag, type Keyword, type RequestParameters } from './keywords.ts';
import { parseAttributes, parseExpand, parseExpandedAttributes, parseOrder } from './lists.ts';
import { classifyText, decodeQuoteCodes, type ValueList } from './literals.ts';
import { parseJson } from '../body/json.ts';
import { BrokenJson, digitsOf, isJsonArray, type JsonValue } from '../body/json-value.ts';

/** As many placeholders as the protocol family allows. */
const MOST_PLACEHOLDERS = 128;

/**
 * Reads `$params`: a JSON array of the values for `:1`, `:2`, … (§4.3), numbers with all their digits.
 * @throws ProtocolError badPlaceholder where it is no such array
 */
export function parseParams(text: string): readonly Literal[] {
  const within = '$params';
  const trimmed = text.trim();
  if (trimmed === '') return [];
  let values: JsonValue;
  try {
    values = parseJson(trimmed);
  } catch (error) {
    if (!(error instanceof BrokenJson)) throw error;
    throw new ProtocolError(
      'badPlaceholder',
      'The value of $params is not valid JSON; expected an array such as ["text", 1, true, null].',
      { within, position: error.position },
    );
  }
  if (!isJsonArray(values)) {
    throw new ProtocolError(
      'badPlaceholder',
      'The value of $params is not a JSON array; expected one value for each placeholder.',
      { within, position: 1 },
    );
  }
  if (values.length > MOST_PLACEHOLDERS) {
    throw new ProtocolError(
      'badPlaceholder',
      `$params holds ${values.length} values; at most ${MOST_PLACEHOLDERS} are allowed.`,
      { within, position: 1 },
    );
  }
  return values.map((value, index) => literal(value, index + 1));
}

function literal(value: JsonValue, number: number): Literal {
  const at = { within: '$params', position: number };
  if (value === null) return { ...at, value: 'null', class: 'null' };
  if (typeof value === 'boolean') return { ...at, value: String(value), class: 'boolean' };
  const digits = digitsOf(value);
  if (digits !== null) return { ...at, value: digits, class: 'number' };
  if (typeof value === 'string') {
    const text = decodeQuoteCodes(value);
    return { ...at, value: text, class: classifyText(text) };
  }
  if (isJsonArray(value) && value.length > MOST_ITEMS) {
    throw new ProtocolError(
      'badPlaceholder',
      `Value ${number} of $params is a list of ${value.length} items; at most ${MOST_ITEMS} are allowed.`,
      at,
    );
  }
  if (isJsonArray(value) && !value.some(isJsonArray)) {
    return { ...at, value: value.map((item) => literal(item, number)), class: 'list' };
  }
  throw new ProtocolError(
    'badPlaceholder',
    `Value ${number} of $params is a JSON object or a nested array; expected text, a number, true, false, null or an array of these.`,
    at,
  );
}

/** How many entities are returned when the request does not say (§8). */
const DEFAULT_TOP = 100;

/** More rows than any table has. */
const MOST_ROWS = '999999999999999';

/** Reads the parameters that reads and writes share, and collects the request's shape on the way. */
export class ParameterReader {
  readonly #given: RequestParameters;
  readonly #shapes: string[];
  readonly #values: ValueList;
  readonly #limits: RequestLimits;

  /** @param shape what the path adds to the request's shape */
  constructor(given: RequestParameters, shape: string, values: ValueList, limits: RequestLimits) {
    this.#given = given;
    this.#shapes = [shape];
    this.#values = values;
    this.#limits = limits;
  }

  /** Reads a parameter whose text is part of the shape. */
  read<Result>(name: Keyword, parse: (text: string) => Result, empty: Result): Result {
    const text = this.#given.get(name)?.text;
    if (text === undefined) return empty;
    this.#shapes.push(`${name}=${text}`);
    return parse(text);
  }

  /** `$filter` with `$params`. */
  filter(): FilterNode | null {
    return this.filterText('$filter', this.#given.get('$filter')?.text ?? '');
  }

  /** A text in the language of `$filter`, whichever parameter it came in. */
  filterText(name: '$filter' | '$savedfilter', text: string): FilterNode | null {
    const params = this.#given.get('$params')?.text;
    const literals = params === undefined ? null : parseParams(params);
    if (text.trim() === '') return null;
    const { maxFilterComparisons } = this.#limits;
    const { node, shape } = parseFilter(text, name, literals, this.#values, maxFilterComparisons);
    this.#shapes.push(`${name}=${shape}`);
    return node;
  }

  /** Reads a parameter whose text is a value, no part of the shape; what it means is decided by the reader of the value. */
  value(name: Keyword, read: (text: string) => Literal, otherwise: string): Slot {
    return this.#values.add(read(this.#given.get(name)?.text ?? otherwise));
  }

  /** A parameter that is a key; null where it is not given. */
  key(name: Keyword): KeyNode | null {
    const text = this.#given.get(name)?.text;
    if (text === undefined) return null;
    const key = parseKey(text, name, this.#values);
    this.#shapes.push(`${name}=${keyShape(key)}`);
    return key;
  }

  /** Whether a parameter is given; that is a part of the shape. */
  has(name: Keyword): boolean {
    if (!this.#given.has(name)) return false;
    this.#shapes.push(name);
    return true;
  }

  /**
   * `$orderby`, `$attributes`, `$expand` and `$asArray`.
   * @param ofObjects whether entities are answered as a bare array has them, whatever `$asArray` says
   */
  lists(ofObjects = false): Pick<ReadRequest, 'orderBy' | 'attributes' | 'expand' | 'asArray'> {
    const asArray = this.read('$asArray', (text) => flag('$asArray', text), false) || ofObjects;
    const parse = asArray ? parseExpandedAttributes : parseExpand;
    return {
      orderBy: this.read('$orderby', (text) => parseOrder(text, '$orderby'), []),
      attributes: this.read('$attributes', (text) => parseAttributes(text, '$attributes'), null),
      expand: this.read('$expand', (text) => parse(text, '$expand'), []),
      asArray,
    };
  }

  /**
   * `$queryplan` and `$querypath`; the latter tells what the former does, and more.
   * @throws ProtocolError notApplicable beside `$asArray`: a bare array has no place for them
   */
  explain(): Explain | null {
    const plan = this.read('$queryplan', (text) => flag('$queryplan', text), false);
    const path = this.read('$querypath', (text) => flag('$querypath', text), false);
    if (!plan && !path) return null;
    const name = path ? '$querypath' : '$queryplan';
    const asArray = this.#given.get('$asArray');
    if (asArray !== undefined && flag('$asArray', asArray.text)) {
      throw new ProtocolError(
        'notApplicable',
        `${name} is not allowed with $asArray.`,
        this.#given.get(name)?.at,
      );
    }
    return path ? 'path' : 'plan';
  }

  /** Which page: `$top`, or `$limit`, and `$skip`. */
  page(): Pick<ReadRequest, 'top' | 'skip'> {
    const name = this.#topName();
    const otherwise = String(Math.min(DEFAULT_TOP, this.#limits.maxTop));
    return {
      top: this.value(name, (text) => topLiteral(name, text, this.#limits), otherwise),
      skip: this.value('$skip', (text) => wholeNumber('$skip', text), '0'),
    };
  }

  /**
   * The same of what is computed on (§4.10), or sent as it is made: as many entities as are asked for, or all of them. Whether it is narrowed at all is
   * a part of the shape.
   */
  narrowing(): Pick<ReadRequest, 'top' | 'skip'> {
    const name = this.#topName();
    this.has('$skip');
    this.has(name);
    return {
      top: this.value(name, (text) => wholeNumber(name, text), MOST_ROWS),
      skip: this.value('$skip', (text) => wholeNumber('$skip', text), '0'),
    };
  }

  /** The same of values (§4.11): one more than an answer may hold where the request does not say how many. */
  valueWindow(): Pick<ReadRequest, 'top' | 'skip'> {
    const name = this.#topName();
    const top = this.has(name)
      ? this.value(name, (text) => topLiteral(name, text, this.#limits), '')
      : this.value(name, (text) => wholeNumber(name, text), String(this.#limits.maxTop + 1));
    return { top, skip: this.value('$skip', (text) => wholeNumber('$skip', text), '0') };
  }

  #topName(): '$top' | '$limit' {
    return this.#given.has('$limit') ? '$limit' : '$top';
  }

  /** The shape of all that was read. */
  shape(): string {
    return this.#shapes.join('\n');
  }
}

/** A larger page is refused unless the configuration says otherwise: a client that asks for all would take what comes for all there is. */
function topLiteral(
  name: '$top' | '$limit',
  text: string,
  { maxTop, beyondMaxTop }: RequestLimits,
): Literal {
  const literal = wholeNumber(name, text);
  const top = Number(text);
  if (top <= maxTop) return literal;
  if (beyondMaxTop === 'shorten') return { ...literal, value: String(maxTop) };
  throw new ProtocolError(
    'badNumber',
    `The value of ${name} is ${top}; expected at most ${maxTop}, which limits.maxTop sets: read more in pages, by $skip.`,
    { within: name, position: 1 },
  );
}

function wholeNumber(name: Keyword, text: string): Literal {
  const value = text.trim();
  if (!/^\d{1,15}$/.test(value)) {
    throw new ProtocolError(
      'badNumber',
      `The value of ${name} is "${value}"; expected a whole number from 0 on.`,
      { within: name, position: 1 },
    );
  }
  return { value, class: 'number', within: name, position: 1 };
}
