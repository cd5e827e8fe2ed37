import { LRUCache } from 'lru-cache';
import type { RequestLimits } from '../base/limits.ts';
import type { ParsedRequest } from './ast.ts';
import type { IsFunction } from './call.ts';
import { parseRequest } from './parse.ts';
import type { Verb } from './verb.ts';

/** An entity by a key that is a whole number, at the beginning of a path. Its digits are no more than every engine's integers have. */
const BY_NUMBER = /^\/rest\/[A-Za-z_]\w*\(([1-9]\d{0,14})\)/;

/** `$params` with plain values alone: words between quotes, and whole numbers. */
const PARAMS =
  /[?&]\$params=(?:%5B|\[)((?:(?:%22|")[A-Za-z][\w-]{0,59}(?:%22|")|[1-9]\d{0,14}|,|%2C)+)(?:%5D|\])(?=&|$)/;

/** One of its values, and the comma before it. */
const PARAM = /(?:^|(?<=.)(?:,|%2C))(?:(?:%22|")([A-Za-z][\w-]{0,59})(?:%22|")|([1-9]\d{0,14}))/y;

/** How long a URL is at most whose reading is kept, in characters, and how many are. */
const MOST_CHARACTERS = 300;
const MOST_URLS = 500;

/** What reading a URL came to, and which of its values are the ones that others have in their place, by their index; -1 for none. */
interface Kept {
  readonly parsed: ParsedRequest;
  readonly places: readonly number[];
}

/** `once`: a URL that was read once, and may be the only one of its kind. `each`: what differs is more than values. */
type Known = Kept | 'once' | 'each';

/** A URL in which some values may be others. */
interface Varied {
  /** The same for all of its kind. */
  readonly kind: string;
  readonly values: readonly string[];
  /** What is kept of it. */
  readonly learn: (parsed: ParsedRequest, parse: (url: string) => ParsedRequest) => Known;
}

/**
 * What URLs have come to that name an entity by a number, or give a filter plain values: another one with a number of as many digits in its place, or with other
 * values of the same kinds, comes to the same but for these. To read such a URL takes longer than to write the entity.
 */
export class ParsedUrls {
  readonly #limits: RequestLimits;
  readonly #known = new LRUCache<string, Known>({ max: MOST_URLS });

  constructor(limits: RequestLimits) {
    this.#limits = limits;
  }

  /**
   * The same as {@link parseRequest}.
   * @param seen tells apart who do not see the same functions
   * @throws ProtocolError as that does
   */
  parse(url: string, verb: Verb, seen: string, isFunction: IsFunction): ParsedRequest {
    const parse = (one: string): ParsedRequest => parseRequest(one, verb, this.#limits, isFunction);
    const isShort = url.length <= MOST_CHARACTERS && verb === 'GET';
    const varied = isShort ? (byNumber(url) ?? byParams(url)) : null;
    if (varied === null) return parse(url);
    const key = `${varied.kind}\n${seen}`;
    const known = this.#known.get(key);
    if (known !== undefined && known !== 'once') {
      return known === 'each' ? parse(url) : withValues(known, varied.values);
    }
    const parsed = parse(url);
    this.#known.set(key, known === undefined ? 'once' : varied.learn(parsed, parse));
    return parsed;
  }
}

/** @returns null for a URL that names no entity by a number */
function byNumber(url: string): Varied | null {
  const found = BY_NUMBER.exec(url);
  const number = found?.[1];
  if (found === null || number === undefined) return null;
  const end = found[0].length - 1;
  const before = url.slice(0, end - number.length);
  const behind = url.slice(end);
  return {
    kind: `${before}${number.length}${behind}`,
    values: [number],
    learn: (parsed, parse) => {
      const other = otherNumber(number);
      return compared(parsed, number, parse(before + other + behind), other);
    },
  };
}

/** @returns null for a URL that does not give a filter plain values, or more than one list of values */
function byParams(url: string): Varied | null {
  const found = PARAMS.exec(url);
  const list = found?.[1];
  if (found === null || list === undefined) return null;
  const from = found.index + found[0].indexOf(list);
  if (url.includes('params', from)) return null;
  const values: string[] = [];
  let kinds = '';
  PARAM.lastIndex = 0;
  while (PARAM.lastIndex < list.length) {
    const [, word, number] = PARAM.exec(list) ?? [];
    const value = word ?? number;
    if (value === undefined) return null;
    values.push(value);
    kinds += word === undefined ? '1' : 'a';
  }
  return {
    kind: `${url.slice(0, from)}${kinds}${url.slice(from + list.length)}`,
    values,
    learn: (parsed) => {
      const places = parsed.values.map(({ within, position }) =>
        within === '$params' ? position - 1 : -1,
      );
      const kept = { parsed, places };
      return isSame(withValues(kept, values), parsed) ? kept : 'each';
    },
  };
}

/** Another number of as many digits, of which each is another one. */
function otherNumber(digits: string): string {
  return digits.replace(/\d/g, (digit) => (digit === '9' ? '1' : String(Number(digit) + 1)));
}

/** What of two readings is the number alone. */
function compared(one: ParsedRequest, number: string, other: ParsedRequest, its: string): Known {
  if (one.shape !== other.shape || !isSame(one.ast, other.ast)) return 'each';
  const places = one.values.map(({ value }, index) =>
    value === number && other.values[index]?.value === its ? 0 : -1,
  );
  const kept = { parsed: one, places };
  return isSame(withValues(kept, [its]).values, other.values) ? kept : 'each';
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function withValues({ parsed, places }: Kept, given: readonly string[]): ParsedRequest {
  const values = parsed.values.map((literal, index) => {
    const value = given[places[index] ?? -1];
    return value === undefined ? literal : { ...literal, value };
  });
  return { ...parsed, values };
}
