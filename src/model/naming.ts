import { wordsOf } from '../base/words.ts';

/** How names of the API are written: `orderLine`, `OrderLine`, `order_line`, or as the database has them. */
export type NameCase = 'camel' | 'pascal' | 'snake' | 'keep';

/** The name of a dataclass whose mapping file gives none: `TBL_ORD_HDR` → `TblOrdHdr`. */
export function dataclassName(physical: string): string {
  return joinWords(wordsOf(physical), 'camel', 'dataclass');
}

/** The name of an attribute whose mapping file gives none: `FIRST_NM` → `firstNm`. */
export function attributeName(physical: string): string {
  return joinWords(wordsOf(physical), 'camel', 'member');
}

/** The name of a dataclass's collection whose mapping file gives none. */
export function collectionName(dataclass: string): string {
  return `${dataclass}Selection`;
}

/**
 * Words as a name of the API: a letter first, then letters and digits, of any script, and `_`.
 * @param what a dataclass's name is capitalised, save where names are kept as they are; it also stands in where no letter
 * is left of a name, and before `uri`, which is the protocol's own among the members of an entity
 */
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
    case 'camel':
      return all
        .map((word, index) =>
          index === 0 && what === 'member' ? word.toLowerCase() : capitalised(word),
        )
        .join('');
  }
}

/** Names for one thing, the one that is wanted most in front. */
export type Candidates = readonly [string, ...string[]];

/** The names in use in one place. Two that differ in case only are not given: people would mistake one for the other. */
export class UsedNames {
  readonly #folded: Set<string>;

  constructor(names: Iterable<string> = []) {
    this.#folded = new Set([...names].map((name) => name.toLowerCase()));
  }

  /** Takes a name that is given already. */
  add(name: string): void {
    this.#folded.add(name.toLowerCase());
  }

  /** Takes the first candidate that is free, else the first one with the lowest number from 2 on that is. */
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
