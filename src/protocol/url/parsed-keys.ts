import { LRUCache } from 'lru-cache';
import { ProtocolError } from '../../base/errors.ts';
import type { RequestLimits } from '../../base/limits.ts';
import type { ParsedRequest } from '../ast.ts';
import { parseRequest } from '../parse.ts';
import type { IsFunction } from '../requests/call.ts';
import type { Verb } from '../rest-request.ts';

/** An entity by a key that is a whole number, at the beginning of a path; every engine's integers have as many digits. */
const BY_NUMBER = /^(\/rest\/[A-Za-z_]\w*\()([1-9]\d{0,14})(?=\))/;

/** The longest URL that is remembered, in characters, and how many are. */
const MOST_CHARACTERS = 300;
const MOST_URLS = 500;

/** A parsed URL, and the index of its key among the values. */
interface Remembered {
  readonly parsed: ParsedRequest;
  readonly key: number;
}

/**
 * Parses URLs, and remembers those of an entity by a number: with another number of as many digits, only the key differs. To parse such a URL
 * takes longer than to write the entity.
 */
export class ParsedKeys {
  readonly #limits: RequestLimits;
  /** `varies`: more than the key's value depends on the number. */
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
    const found = verb === 'GET' && url.length <= MOST_CHARACTERS ? BY_NUMBER.exec(url) : null;
    if (found === null) return parse(url);
    const [start, before = '', number = ''] = found;
    const behind = url.slice(start.length);
    const pattern = `${before}${number.length}${behind}\n${seen}`;
    const known = this.#known.get(pattern);
    if (known === 'varies') return parse(url);
    if (known !== undefined) return withKey(known, number);
    const parsed = parse(url);
    const remembered = { parsed, key: parsed.values.findIndex(({ value }) => value === number) };
    const isAlike = differsInKeyOnly(remembered, number, (other) => parse(before + other + behind));
    this.#known.set(pattern, isAlike ? remembered : 'varies');
    return parsed;
  }
}

/** Whether a URL with another number, each digit of which differs, comes to the same with that number as the key. */
function differsInKeyOnly(
  remembered: Remembered,
  number: string,
  parse: (number: string) => ParsedRequest,
): boolean {
  const other = number.replace(/\d/g, (digit) => (digit === '9' ? '1' : String(Number(digit) + 1)));
  try {
    return textOf(withKey(remembered, other)) === textOf(parse(other));
  } catch (error) {
    if (error instanceof ProtocolError) return false;
    throw error;
  }
}

function textOf({ ast, shape, values }: ParsedRequest): string {
  return JSON.stringify([ast, shape, values]);
}

function withKey(
  { parsed: { ast, shape, values }, key }: Remembered,
  value: string,
): ParsedRequest {
  const replaced = values.map((literal, index) =>
    index === key ? { ...literal, value } : literal,
  );
  return { ast, shape, values: replaced };
}
