import { ProtocolError, type TextPosition } from '../../base/errors.ts';
import { MOST_ITEMS, type RequestLimits } from '../../base/limits.ts';
import type {
  AnswerLists,
  Explain,
  FilterNode,
  KeyNode,
  Literal,
  ParsedRequest,
  ReadRequest,
  RequestAst,
  ParameterRef,
} from '../ast.ts';
import { type FilterOptions, parseFilter } from '../filter.ts';
import type { Verb } from '../rest-request.ts';
import { keyShape, parseKey } from './key.ts';
import {
  badValue,
  collectParameters,
  flag,
  type Keyword,
  type KeywordUse,
  type RawParameter,
  type RequestParameters,
} from './url.ts';
import {
  classifyText,
  decodeQuoteCodes,
  parseAttributes,
  parseExpand,
  parseExpandedAttributes,
  parseOrder,
  type ValueList,
} from './literals.ts';
import type { DataclassPath } from './path.ts';
import { BrokenJson, digitsOf, isJsonArray, type JsonValue, parseJson } from '../body/json.ts';

/** How many placeholders the protocol family allows. */
export const MOST_PLACEHOLDERS = 128;

/** Parses `$params`: a JSON array of the values for `:1`, `:2`, … (§4.3), numbers with all their digits. @throws ProtocolError badPlaceholder */
export function parseParams(text: string): readonly Literal[] {
  const trimmed = text.trim();
  if (trimmed === '') return [];
  let values: JsonValue;
  try {
    values = parseJson(trimmed);
  } catch (error) {
    if (!(error instanceof BrokenJson)) throw error;
    const expected = 'expected an array such as ["text", 1, true, null]';
    throw badParams(`The value of $params is not valid JSON; ${expected}.`, error.position);
  }
  if (!isJsonArray(values)) {
    const expected = 'expected one value for each placeholder';
    throw badParams(`The value of $params is not a JSON array; ${expected}.`);
  }
  if (values.length > MOST_PLACEHOLDERS) {
    const found = `$params holds ${values.length} values`;
    throw badParams(`${found}; at most ${MOST_PLACEHOLDERS} are allowed.`);
  }
  return values.map((value, index) => placeholderValue(value, index + 1));
}

function badParams(message: string, position = 1): ProtocolError {
  return new ProtocolError('badPlaceholder', message, { within: '$params', position });
}

function placeholderValue(value: JsonValue, number: number): Literal {
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
    const found = `Value ${number} of $params is a list of ${value.length} items`;
    throw badParams(`${found}; at most ${MOST_ITEMS} are allowed.`, number);
  }
  if (isJsonArray(value) && !value.some(isJsonArray)) {
    return { ...at, value: value.map((item) => placeholderValue(item, number)), class: 'list' };
  }
  const message = `Value ${number} of $params is a JSON object or a nested array; expected text, a number, true, false, null or an array of these.`;
  throw badParams(message, number);
}

/** How many entities are answered when the request does not say (§8). */
const DEFAULT_TOP = 100;

/** More rows than any table has. */
const MOST_ROWS = 999_999_999_999_999;

/** A request to a dataclass, whose path is parsed and whose parameters are not. */
export interface DataclassUrl {
  readonly target: DataclassPath;
  readonly verb: Verb;
  readonly parameters: readonly RawParameter[];
  /** The client's values, to which the parsers add theirs. */
  readonly values: ValueList;
  readonly limits: RequestLimits;
}

/** Turns the text of a parameter into its value. */
type Parse<Result> = (text: string, name: Keyword) => Result;

/** Reads the parameters of a request, and collects its shape on the way. */
export class ParameterReader {
  readonly target: DataclassPath;
  readonly #given: RequestParameters;
  readonly #shapes: string[];
  readonly #values: ValueList;
  readonly #limits: RequestLimits;

  /** @param what the request, for messages: `a read`; @param shape the path's part of the shape */
  constructor(
    { target, parameters, values, limits }: DataclassUrl,
    what: string,
    uses: readonly KeywordUse[],
    shape = target.shape,
  ) {
    this.target = target;
    this.#given = collectParameters(parameters, what, uses);
    this.#shapes = [shape];
    this.#values = values;
    this.#limits = limits;
  }

  /** The text of a parameter, which does not become part of the shape; undefined where it is not given. */
  text(name: Keyword): string | undefined {
    return this.#given.get(name)?.text;
  }

  /** The position of a parameter in the URL. */
  position(name: Keyword): TextPosition | undefined {
    return this.#given.get(name)?.at;
  }

  /** Reads a parameter whose text is part of the shape. */
  read<Result>(name: Keyword, parse: Parse<Result>, empty: Result): Result {
    const text = this.text(name);
    if (text === undefined) return empty;
    this.#shapes.push(`${name}=${text}`);
    return parse(text, name);
  }

  /** Reads a parameter that is true or false; false where it is not given. */
  flag(name: Keyword): boolean {
    return this.read(name, flag, false);
  }

  /** Reads `$filter` with `$params`, or another text in its language. */
  filter(
    name: '$filter' | '$savedfilter' | '$having' = '$filter',
    text = this.text(name) ?? '',
    options: FilterOptions = {},
  ): FilterNode | null {
    const params = this.text('$params');
    const origin = params === undefined ? null : parseParams(params);
    if (text.trim() === '') return null;
    const { maxFilterComparisons: maxComparisons } = this.#limits;
    const given = { origin, values: this.#values, maxComparisons, ...options };
    const { node, shape } = parseFilter(text, name, given);
    this.#shapes.push(`${name}=${shape}`);
    return node;
  }

  /** Reads a parameter that is a client's value, and so no part of the shape. */
  value(name: Keyword, parse: Parse<Literal>, otherwise: string | number): ParameterRef {
    return this.#values.add(parse(this.text(name) ?? String(otherwise), name));
  }

  /** Reads a parameter that is a key; null where it is not given. */
  key(name: Keyword): KeyNode | null {
    const text = this.text(name);
    if (text === undefined) return null;
    const key = parseKey(text, name, this.#values);
    this.#shapes.push(`${name}=${keyShape(key)}`);
    return key;
  }

  /** Whether a parameter is given, which becomes part of the shape; its text does not. */
  has(name: Keyword): boolean {
    if (!this.#given.has(name)) return false;
    this.#shapes.push(name);
    return true;
  }

  /** Takes a parameter out, so that nothing else reads it; that it was given is part of the shape. */
  takeOut(name: Keyword): string | undefined {
    const text = this.text(name);
    if (this.has(name)) this.#given.delete(name);
    return text;
  }

  /** Reads `$orderby`, `$attributes`, `$expand` and `$asArray`. @param ofObjects whether the answer is a bare array, whatever `$asArray` says */
  lists(ofObjects = false): AnswerLists {
    const asArray = this.flag('$asArray') || ofObjects;
    return {
      orderBy: this.read('$orderby', parseOrder, []),
      attributes: this.read('$attributes', parseAttributes, null),
      expand: this.read('$expand', asArray ? parseExpandedAttributes : parseExpand, []),
      asArray,
    };
  }

  /** Reads `$queryplan` and `$querypath`, which includes the former; neither is allowed with `$asArray`, whose bare array has no member for them. */
  explain(): Explain | null {
    const plan = this.flag('$queryplan');
    const path = this.flag('$querypath');
    if (!plan && !path) return null;
    const asArray = this.text('$asArray');
    if (asArray !== undefined && flag(asArray, '$asArray')) {
      throw this.notApplicable(path ? '$querypath' : '$queryplan', 'is not allowed with $asArray');
    }
    return path ? 'path' : 'plan';
  }

  /** Reads `$top`, or `$limit`, and `$skip`. */
  page(): Pick<ReadRequest, 'top' | 'skip'> {
    return this.#window(topLiteral(this.#limits), Math.min(DEFAULT_TOP, this.#limits.maxTop));
  }

  /** Reads the page of entities to compute on (§4.10) or export: by default all. Whether the request has one is part of the shape. */
  narrowing(): Pick<ReadRequest, 'top' | 'skip'> {
    this.has('$skip');
    this.has(this.#topName());
    return this.#window(wholeNumber, MOST_ROWS);
  }

  /** Reads the same of values (§4.11): one more than an answer may hold where the request does not say. */
  valueWindow(): Pick<ReadRequest, 'top' | 'skip'> {
    const isGiven = this.has(this.#topName());
    return this.#window(isGiven ? topLiteral(this.#limits) : wholeNumber, this.#limits.maxTop + 1);
  }

  /** Reads the page of groups; without `$top`, or with more, one more than an answer may hold. */
  groupWindow(): Pick<ReadRequest, 'top' | 'skip'> {
    const most = this.#limits.maxGroups + 1;
    const atMost: Parse<Literal> = (text, name) => {
      const literal = wholeNumber(text, name);
      return Number(text) > most ? { ...literal, value: String(most) } : literal;
    };
    return this.#window(atMost, most);
  }

  #window(parseTop: Parse<Literal>, otherwise: number): Pick<ReadRequest, 'top' | 'skip'> {
    return {
      top: this.value(this.#topName(), parseTop, otherwise),
      skip: this.value('$skip', wholeNumber, 0),
    };
  }

  #topName(): '$top' | '$limit' {
    return this.#given.has('$limit') ? '$limit' : '$top';
  }

  /** The error of a parameter that does not go with the rest of the request. @param why the rest of the sentence */
  notApplicable(name: Keyword, why: string): ProtocolError {
    return new ProtocolError('notApplicable', `${name} ${why}.`, this.position(name));
  }

  /** The parsed request, its shape as far as the parameters were read. */
  parsed<Ast extends RequestAst>(ast: Ast): ParsedRequest<Ast> {
    return { ast, shape: this.#shapes.join('\n'), values: this.#values.items };
  }
}

/** Reads `$top`, which the configuration limits: all rows of a table would take too much memory. */
function topLiteral({ maxTop, beyondMaxTop }: RequestLimits): Parse<Literal> {
  return (text, name) => {
    const literal = wholeNumber(text, name);
    const top = Number(text);
    if (top <= maxTop) return literal;
    if (beyondMaxTop === 'shorten') return { ...literal, value: String(maxTop) };
    const message = `The value of ${name} is ${top}; expected at most ${maxTop}: read more in pages, by $skip.`;
    throw new ProtocolError('badNumber', message, { within: name, position: 1 });
  };
}

function wholeNumber(text: string, name: Keyword): Literal {
  const value = text.trim();
  if (/^\d{1,15}$/.test(value)) return parameterLiteral(name, value, 'number');
  throw badValue('badNumber', name, value, 'a whole number from 0 on');
}

/** The literal of a value that is a whole parameter. */
export function parameterLiteral(
  within: Keyword,
  value: string,
  kind: 'text' | 'number' = 'text',
): Literal {
  return { value, class: kind, within, position: 1 };
}
