import { LRUCache } from 'lru-cache';
import { ProtocolError } from '../../base/errors.ts';
import type { RequestLimits } from '../../base/limits.ts';
import type { ParsedRequest } from '../ast.ts';
import { parseRequest } from '../parse.ts';
import type { IsFunction } from '../requests/call.ts';
import type { Verb } from '../rest-request.ts';

/** An entity by a key that is a whole number, at the beginning of a path; with no more digits than every engine's integers have. */
const BY_NUMBER = /^\/rest\/[A-Za-z_]\w*\(([1-9]\d{0,14})\)/;

/** The longest URL that is remembered, in characters, and how many are. */
const MOST_CHARACTERS = 300;
const MOST_URLS = 500;

/** A parsed URL, and the index of its key among the values. */
interface Remembered {
  readonly parsed: ParsedRequest;
  readonly key: number;
}

/**
 * Parses URLs, and remembers those that name an entity by a number: with another number of as many digits they come to the same but for the key. To parse
 * such a URL takes longer than to write the entity.
 */
export class ParsedKeys {
  readonly #limits: RequestLimits;
  /** `varies`: more than the key's value depends on the number. */
  readonly #known = new LRUCache<string, Remembered | 'varies'>({ max: MOST_URLS });

  constructor(limits: RequestLimits) {
    this.#limits = limits;
  }

  /**
   * The same as {@link parseRequest}.
   * @param seen names the functions that the user sees
   * @throws ProtocolError as that does
   */
  parse(url: string, verb: Verb, seen: string, isFunction: IsFunction): ParsedRequest {
    const parse = (one: string): ParsedRequest => parseRequest(one, verb, this.#limits, isFunction);
    const found = verb === 'GET' && url.length <= MOST_CHARACTERS ? BY_NUMBER.exec(url) : null;
    const [start = '', number = ''] = found ?? [];
    if (found === null) return parse(url);
    const before = start.slice(0, -number.length - 1);
    const behind = url.slice(start.length - 1);
    const pattern = `${before}${number.length}${behind}\n${seen}`;
    const known = this.#known.get(pattern);
    if (known === 'varies') return parse(url);
    if (known !== undefined) return withKey(known, number);
    const parsed = parse(url);
    const other = otherNumber(number);
    const learned = compared(parsed, number, () => parse(before + other + behind), other);
    this.#known.set(pattern, learned ?? 'varies');
    return parsed;
  }
}

/** Another number of as many digits, each digit of which differs. */
function otherNumber(digits: string): string {
  return digits.replace(/\d/g, (digit) => (digit === '9' ? '1' : String(Number(digit) + 1)));
}

/** What to remember of a URL; null where it and one with another number differ in more than the key. */
function compared(
  parsed: ParsedRequest,
  number: string,
  parseOther: () => ParsedRequest,
  other: string,
): Remembered | null {
  const remembered = { parsed, key: parsed.values.findIndex(({ value }) => value === number) };
  try {
    return textOf(withKey(remembered, other)) === textOf(parseOther()) ? remembered : null;
  } catch (error) {
    if (error instanceof ProtocolError) return null;
    throw error;
  }
}

function textOf({ ast, shape, values }: ParsedRequest): string {
  return JSON.stringify([ast, shape, values]);
}

function withKey({ parsed, key }: Remembered, value: string): ParsedRequest {
  const { ast, shape } = parsed;
  const values = parsed.values.map((literal, index) =>
    index === key ? { ...literal, value } : literal,
  );
  return { ast, shape, values };
}
