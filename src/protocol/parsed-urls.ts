import { LRUCache } from 'lru-cache';
import { catching, ProtocolError } from '../base/errors.ts';
import type { RequestLimits } from '../base/limits.ts';
import type { Literal, ParsedRequest } from './ast.ts';
import { type IsFunction, parseRequest } from './parse.ts';
import type { Verb } from './rest-request.ts';
import { parseParams } from './url/parameter-reader.ts';
import { decodeText } from './url/url.ts';

/** An entity by a key that is a whole number, at the beginning of a path; every engine's integers have as many digits. */
const BY_NUMBER = /^(\/rest\/[A-Za-z_]\w*\()([1-9]\d{0,14})(?=\))/;

/** The values of a filter, in their usual place and form. */
const PARAMS = /([?&]\$params=)((?:%5B|\[)[^&#]*)/;

/** The longest URL that is remembered, in characters, and how many are. */
const MOST_CHARACTERS = 300;
const MOST_URLS = 500;

/** A URL as a pattern and the values in it. */
interface UrlPattern {
  /** Equal for URLs that differ in those values only. */
  readonly text: string;
  readonly values: readonly string[];
  /** Other values of the same kinds, and the URL with them in place. */
  readonly others: readonly string[];
  readonly otherUrl: () => string;
}

/** A parsed URL, and for each of its literals the index of its value in the pattern, or -1. */
interface Remembered {
  readonly parsed: ParsedRequest;
  readonly indexes: readonly number[];
}

/**
 * Parses URLs, and remembers them: parsing takes longer than writing an entity. Reads by a numeric key, and reads with `$params`, are remembered for
 * all values of the same kinds; writes, whose values are in their bodies, as they are.
 */
export class ParsedUrls {
  readonly #limits: RequestLimits;
  /** `varies`: more than the values depends on them. */
  readonly #known = new LRUCache<string, Remembered | 'varies'>({ max: MOST_URLS });

  constructor(limits: RequestLimits) {
    this.#limits = limits;
  }

  /**
   * Parses a URL as {@link parseRequest} does.
   * @param seen names the functions that the user sees
   * @throws ProtocolError as that does
   */
  parse(url: string, verb: Verb, seen: string, isFunction: IsFunction): ParsedRequest {
    const parse = (one: string): ParsedRequest => parseRequest(one, verb, this.#limits, isFunction);
    const pattern = url.length <= MOST_CHARACTERS ? patternOf(url, verb) : null;
    if (pattern === null) return parse(url);
    const key = `${verb} ${pattern.text}\n${seen}`;
    const known = this.#known.get(key);
    if (known === 'varies') return parse(url);
    if (known !== undefined) return withValues(known, pattern.values);
    const parsed = parse(url);
    // Which of two equal values a literal came from would not show.
    if (new Set(pattern.values).size === pattern.values.length) {
      this.#known.set(key, learned(parsed, pattern, parse) ?? 'varies');
    }
    return parsed;
  }
}

/** @returns null where the URL is not worth remembering, or invalid */
function patternOf(url: string, verb: Verb): UrlPattern | null {
  if (verb === 'GET') return byNumber(url) ?? byParams(url);
  return verb === 'HEAD' ? null : { text: url, values: [], others: [], otherUrl: () => url };
}

function byNumber(url: string): UrlPattern | null {
  const [start, before = '', number = ''] = BY_NUMBER.exec(url) ?? [];
  if (start === undefined) return null;
  const behind = url.slice(start.length);
  const other = number.replace(/\d/g, (digit) => (digit === '9' ? '1' : String(Number(digit) + 1)));
  return {
    // Positions behind the number depend on its length.
    text: `${before}${number.length}${behind}`,
    values: [number],
    others: [other],
    otherUrl: () => before + other + behind,
  };
}

function byParams(url: string): UrlPattern | null {
  const found = PARAMS.exec(url);
  if (found === null) return null;
  const [, name = '', params = ''] = found;
  const literals = literalsOf(params);
  if (literals === null) return null;
  const before = url.slice(0, found.index) + name;
  const behind = url.slice(before.length + params.length);
  const others = literals.map(otherValue);
  // Only another value shows which literal of the request is the parameter, and that $params is not a text within a filter.
  const varies = literals.every(({ value }, index) => value !== others[index]);
  if (literals.length === 0 || !varies) return null;
  return {
    text: `${before}${literals.map((literal) => literal.class).join()}${behind}`,
    values: literals.map(({ value }) => value),
    others,
    otherUrl: () => {
      const items = literals.map(({ class: kind }, index) =>
        kind === 'number' ? others[index] : JSON.stringify(others[index]),
      );
      return before + encodeURIComponent(`[${items.join()}]`) + behind;
    },
  };
}

/** The single values of `$params`; null where they are invalid or one of them is a list. */
function literalsOf(params: string): (Literal & { readonly value: string })[] | null {
  const literals = catching(
    ProtocolError,
    () => parseParams(decodeText(params)),
    () => null,
  );
  return literals?.every(isSingle) === true ? [...literals] : null;
}

function isSingle(literal: Literal): literal is Literal & { readonly value: string } {
  return typeof literal.value === 'string';
}

/** A longer value of the same class, where the class has several. */
function otherValue({ value, class: kind }: Literal & { readonly value: string }): string {
  if (kind === 'text' || kind === 'wild') return `x${value}`;
  return kind === 'number'
    ? value.replace(/\d/, (digit) => (digit === '0' ? '10' : `${digit}0`))
    : value;
}

/** What is remembered of a URL; null where another one of its pattern differs in more than the values, or is refused. */
function learned(
  parsed: ParsedRequest,
  { values, others, otherUrl }: UrlPattern,
  parse: (url: string) => ParsedRequest,
): Remembered | null {
  if (values.length === 0) return { parsed, indexes: [] };
  const learn = (): Remembered | null => {
    const other = parse(otherUrl());
    const indexes = parsed.values.map(({ value }, at) =>
      values.findIndex((one, index) => one === value && others[index] === other.values[at]?.value),
    );
    const remembered = { parsed, indexes };
    return textOf(withValues(remembered, others)) === textOf(other) ? remembered : null;
  };
  return catching(ProtocolError, learn, () => null);
}

function textOf({ ast, shape, values }: ParsedRequest): string {
  return JSON.stringify([ast, shape, values]);
}

function withValues({ parsed, indexes }: Remembered, given: readonly string[]): ParsedRequest {
  if (given.length === 0) return parsed;
  const values = parsed.values.map((literal, at) => {
    const value = given[indexes[at] ?? -1];
    return value === undefined ? literal : { ...literal, value };
  });
  return { ast: parsed.ast, shape: parsed.shape, values };
}
