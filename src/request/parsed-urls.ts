import { LRUCache } from 'lru-cache';
import type { RequestLimits } from '../base/limits.ts';
import type { ParsedRequest } from './ast.ts';
import type { IsFunction } from './call.ts';
import { parseRequest } from './parse.ts';
import type { Verb } from './verb.ts';

/** An entity by a key that is a whole number, at the beginning of a path. Its digits are no more than every engine's integers have. */
const BY_NUMBER = /^\/rest\/[A-Za-z_]\w*\(([1-9]\d{0,14})\)/;

/** How long a URL is at most whose reading is kept, in characters, and how many are. */
const MOST_CHARACTERS = 300;
const MOST_URLS = 500;

/** What reading a URL came to, and which of its values are the number. */
interface Kept {
  readonly parsed: ParsedRequest;
  readonly isNumber: readonly boolean[];
}

/** `once`: a URL that was read once, and may be the only one of its kind. `each`: the number is more than a value. */
type Known = Kept | 'once' | 'each';

/**
 * What URLs have come to that name an entity by a number: another one with a number of as many digits in its place comes to the same, but for the
 * values that are the number. To read such a URL takes longer than to write the entity.
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
    const found = isShort ? BY_NUMBER.exec(url) : null;
    const number = found?.[1];
    if (found === null || number === undefined) return parse(url);
    const end = found[0].length - 1;
    const before = url.slice(0, end - number.length);
    const behind = url.slice(end);
    const key = `${before}${number.length}${behind}\n${seen}`;
    const known = this.#known.get(key);
    if (known === undefined) {
      const parsed = parse(url);
      this.#known.set(key, 'once');
      return parsed;
    }
    if (known === 'each') return parse(url);
    if (known !== 'once') return withNumber(known, number);
    const parsed = parse(url);
    const other = otherNumber(number);
    this.#known.set(key, compared(parsed, number, parse(before + other + behind), other));
    return parsed;
  }
}

/** Another number of as many digits, of which each is another one. */
function otherNumber(digits: string): string {
  return digits.replace(/\d/g, (digit) => (digit === '9' ? '1' : String(Number(digit) + 1)));
}

/** What of two readings is the number alone. */
function compared(one: ParsedRequest, number: string, other: ParsedRequest, its: string): Known {
  const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
  if (one.shape !== other.shape || !isSame(one.ast, other.ast)) return 'each';
  const isNumber = one.values.map(({ value }, index) => {
    return value === number && other.values[index]?.value === its;
  });
  const expected = withNumber({ parsed: one, isNumber }, its);
  return isSame(expected.values, other.values) ? { parsed: one, isNumber } : 'each';
}

function withNumber({ parsed, isNumber }: Kept, number: string): ParsedRequest {
  const values = parsed.values.map((literal, index) =>
    isNumber[index] === true ? { ...literal, value: number } : literal,
  );
  return { ...parsed, values };
}
