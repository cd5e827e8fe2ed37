import { wordsOf } from '../base/words.ts';

/** The style of API names: `orderLine`, `OrderLine`, `order_line`, or the database's own. */
export type NameCase = 'camel' | 'pascal' | 'snake' | 'keep';

/** The default name of a dataclass: `TBL_ORD_HDR` → `TblOrdHdr`. */
export function dataclassName(physical: string): string {
  return joinWords(wordsOf(physical), 'camel', 'dataclass');
}

/** The default name of an attribute: `FIRST_NM` → `firstNm`. */
export function attributeName(physical: string): string {
  return joinWords(wordsOf(physical), 'camel', 'member');
}

/** The default name of a dataclass's collection. */
export function collectionName(dataclass: string): string {
  return `${dataclass}Selection`;
}

/** Joins words to an API name: letters, digits and `_` of any script, with `Table` or `column` before any other first character, and before `uri`. */
export function joinWords(
  words: readonly string[],
  style: NameCase,
  what: 'dataclass' | 'member',
): string {
  const otherwise = what === 'dataclass' ? 'Table' : 'column';
  const isTaken = what === 'member' && words.length === 1 && /^uri$/i.test(words[0] ?? '');
  const all = /^\p{L}/u.test(words[0] ?? '') && !isTaken ? words : [otherwise, ...words];
  switch (style) {
    case 'keep':
      return all.join('_');
    case 'snake':
      return all.map((word) => word.toLowerCase()).join('_');
    case 'pascal':
      return all.map(capitalised).join('');
    case 'camel': {
      const [first = '', ...more] = all;
      const begin = what === 'member' ? first.toLowerCase() : capitalised(first);
      return begin + more.map(capitalised).join('');
    }
  }
}

/** Names for one thing, the most wanted first. */
export type Candidates = readonly [string, ...string[]];

/** The names in use in one scope. No two differ only in case: people would confuse them. */
export class UsedNames {
  readonly #folded: Set<string>;

  constructor(names: Iterable<string> = []) {
    this.#folded = new Set([...names].map((name) => name.toLowerCase()));
  }

  /** Adds a name that is given already. */
  add(name: string): void {
    this.#folded.add(name.toLowerCase());
  }

  /** Takes the first free candidate; where none is free, the first one with the lowest free number from 2 on. */
  claim(...candidates: Candidates): string {
    let name = candidates.find((candidate) => this.#isFree(candidate));
    for (let number = 2; name === undefined; number += 1) {
      const numbered = `${candidates[0]}${number}`;
      if (this.#isFree(numbered)) name = numbered;
    }
    this.add(name);
    return name;
  }

  #isFree(name: string): boolean {
    return !this.#folded.has(name.toLowerCase());
  }
}

function capitalised(word: string): string {
  const [first = '', ...rest] = word;
  return first.toUpperCase() + rest.join('').toLowerCase();
}
