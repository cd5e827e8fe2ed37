import { LRUCache } from 'lru-cache';
import { memoize } from '../../base/cache.ts';
import { ProtocolError } from '../../base/errors.ts';
import type { RequestLimits } from '../../base/limits.ts';
import type { ParsedRequest } from '../ast.ts';
import type { IsFunction } from '../requests/call.ts';
import { parseRequest } from '../parse.ts';
import type { Verb } from '../rest-request.ts';

/** An entity by a key that is a whole number, at the beginning of a path. Its digits are no more than every engine's integers have. */
const BY_NUMBER = /^\/rest\/[A-Za-z_]\w*\(([1-9]\d{0,14})\)/;

/** How many entities a page skips. */
const SKIP = /[?&]\$skip=([1-9]\d{0,8})(?=&|$)/;

/**
 * A text as it mostly is: it begins with a letter and goes on with such, digits, letters of two bytes in UTF-8, blanks, and of other characters those that mean nothing
 * to a filter, a quote for JSON among them.
 */
const WORD = /[A-Za-z](?:[\w.-]|%20|%26|%2C|%2F|%3A|%5C%22|%C[3-9A-F]%[89AB][0-9A-F]){0,59}/;

/** `$params` with plain values alone: words between quotes, and whole numbers. */
const PARAMS = new RegExp(
  `[?&]\\$params=(?:%5B|\\[)((?:(?:%22|")${WORD.source}(?:%22|")|[1-9]\\d{0,14}|,|%2C)+)(?:%5D|\\])(?=&|$)`,
);

/** One of its values, with what stands around it: a comma and quotes. */
const PARAM = new RegExp(
  `(^|(?<=.)(?:,|%2C))(?:(%22|")(${WORD.source})(%22|")|([1-9]\\d{0,14}))`,
  'y',
);

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
 * What URLs have come to that name an entity by a number, skip a number of them, or give a filter plain values: another one with a number of as many digits in its place, or with other
 * values of the same kinds, comes to the same but for these. To read such a URL takes longer than to write the entity. URLs of writes come again as they are: what differs is in
 * their bodies.
 */
export class ParsedUrls {
  readonly #limits: RequestLimits;
  readonly #known = new LRUCache<string, Known>({ max: MOST_URLS });
  readonly #writes = new LRUCache<string, ParsedRequest>({ max: MOST_URLS });

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
    if (url.length > MOST_CHARACTERS) return parse(url);
    if (verb !== 'GET') return memoize(this.#writes, `${verb} ${url}\n${seen}`, () => parse(url));
    const varied = byNumber(url) ?? byParams(url) ?? bySkip(url);
    if (varied === null) return parse(url);
    const key = `${varied.kind}\n${seen}`;
    const known = this.#known.get(key);
    if (known !== undefined && known !== 'once') {
      return known === 'each' ? parse(url) : withValues(known, varied.values);
    }
    const parsed = parse(url);
    this.#known.set(key, known === undefined ? 'once' : learned(varied, parsed, parse));
    return parsed;
  }
}

/** What a URL teaches of its kind. Another one of the kind may be refused, which is not the fault of this one. */
function learned(
  { learn }: Varied,
  parsed: ParsedRequest,
  parse: (url: string) => ParsedRequest,
): Known {
  try {
    return learn(parsed, parse);
  } catch (error) {
    if (error instanceof ProtocolError) return 'each';
    throw error;
  }
}

/** @returns null for a URL that names no entity by a number */
function byNumber(url: string): Varied | null {
  const found = BY_NUMBER.exec(url);
  return found === null ? null : byDigits(url, found[0].length - 1, found[1] ?? '');
}

/** @returns null for a URL that does not skip a number of entities */
function bySkip(url: string): Varied | null {
  const found = SKIP.exec(url);
  return found === null ? null : byDigits(url, found.index + found[0].length, found[1] ?? '');
}

/** A URL in which another number of as many digits may stand. @param end of it */
function byDigits(url: string, end: number, number: string): Varied {
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
  const before = url.slice(0, from);
  const behind = url.slice(from + list.length);
  const params: Param[] = [];
  PARAM.lastIndex = 0;
  while (PARAM.lastIndex < list.length) {
    const [, comma = '', opening = '', word, closing = '', number] = PARAM.exec(list) ?? [];
    const value = word === undefined ? number : wordOf(word);
    if (value === undefined) return null;
    params.push({ value, isWord: word !== undefined, around: [comma + opening, closing] });
  }
  const listOf = (texts: readonly string[]): string =>
    params.map(({ around }, index) => around.join(texts[index])).join('');
  const values = params.map(({ value }) => value);
  return {
    kind: before + listOf(params.map(({ isWord }) => (isWord ? 'a' : '1'))) + behind,
    values,
    learn: (parsed, parse) => {
      const others = otherValues(params);
      const other = parse(before + listOf(others) + behind);
      const places = parsed.values.map(({ within, position }) =>
        within === '$params' ? position - 1 : -1,
      );
      return known(parsed, places, { values, other, others });
    },
  };
}

/** A word as it stands in the URL, read. */
function wordOf(text: string): string {
  return text.includes('%') ? decodeURIComponent(text).replaceAll('\\"', '"') : text;
}

/** A value of a list of values, and what stands before and behind it. */
interface Param {
  readonly value: string;
  readonly isWord: boolean;
  readonly around: readonly [string, string];
}

/** Other values of the same kinds, no two of which are the same. */
function otherValues(params: readonly Param[]): string[] {
  const others: string[] = [];
  for (let number = 11; others.length < params.length; number += 1) {
    const other = params[others.length]?.isWord === true ? `w${number}` : String(number);
    if (params.every(({ value }) => value !== other)) others.push(other);
  }
  return others;
}

/** Another number of as many digits, of which each is another one. */
function otherNumber(digits: string): string {
  return digits.replace(/\d/g, (digit) => (digit === '9' ? '1' : String(Number(digit) + 1)));
}

/** What of two readings is the number alone. */
function compared(one: ParsedRequest, number: string, other: ParsedRequest, its: string): Known {
  const places = one.values.map(({ value }, index) =>
    value === number && other.values[index]?.value === its ? 0 : -1,
  );
  return known(one, places, { values: [number], other, others: [its] });
}

/** Another URL of the kind: what it came to, and its values. */
interface Compared {
  readonly values: readonly string[];
  readonly other: ParsedRequest;
  readonly others: readonly string[];
}

/** What is kept of a reading, where two of them show that nothing else differs than the values in those places. */
function known(
  parsed: ParsedRequest,
  places: readonly number[],
  { values, other, others }: Compared,
): Known {
  const kept = { parsed, places };
  const isAll = isSame(withValues(kept, values), parsed) && isSame(withValues(kept, others), other);
  return isAll ? kept : 'each';
}

function isSame(one: ParsedRequest, other: ParsedRequest): boolean {
  return textOf(one) === textOf(other);
}

function textOf({ ast, shape, values }: ParsedRequest): string {
  return JSON.stringify([ast, shape, values]);
}

function withValues({ parsed, places }: Kept, given: readonly string[]): ParsedRequest {
  const values = parsed.values.map((literal, index) => {
    const value = given[places[index] ?? -1];
    return value === undefined ? literal : { ...literal, value };
  });
  return { ast: parsed.ast, shape: parsed.shape, values };
}
