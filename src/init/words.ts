/** Latin letters that no decomposition takes apart. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  Æ: 'AE',
  æ: 'ae',
  Ø: 'O',
  ø: 'o',
  Œ: 'OE',
  œ: 'oe',
  Ł: 'L',
  ł: 'l',
  Đ: 'D',
  đ: 'd',
  Ð: 'D',
  ð: 'd',
  Þ: 'Th',
  þ: 'th',
  ı: 'i',
};

/** How names of the API are written: `orderLine`, `OrderLine`, `order_line`, or as the database has them. */
export type NameCase = 'camel' | 'pascal' | 'snake' | 'keep';

/**
 * The words of a name: `TBL_ORD_HDR`, `Order Details`, `orderLine`, `HTTPServer`. Accents are dropped, because names of the
 * API are ASCII.
 * @param byCase whether a change of case begins a word, too
 */
export function wordsOf(name: string, byCase = true): string[] {
  const composed = name.normalize('NFC');
  const parted = byCase
    ? composed
        .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
        .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    : composed;
  const plain = parted
    .replace(/[^\p{ASCII}]/gu, (letter) => LETTERS[letter] ?? letter)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '');
  return plain.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
}

/**
 * Words as a name of the API: a letter first, then letters, digits and `_`.
 * @param what a dataclass's name is capitalised, save where names are kept as they are; it also stands in where no letter
 * is left of a name
 */
export function joinWords(
  words: readonly string[],
  style: NameCase,
  what: 'dataclass' | 'member',
): string {
  const otherwise = what === 'dataclass' ? 'Table' : 'column';
  const all = /^[A-Za-z]/.test(words[0] ?? '') ? words : [otherwise, ...words];
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

/** The first name that is not taken, whatever the case: the candidates in turn, then the first one with a number. */
export function freeName(candidates: readonly string[], taken: ReadonlySet<string>): string {
  const free = (name: string): boolean => !taken.has(name.toLowerCase());
  const found = candidates.find(free);
  if (found !== undefined) return found;
  const base = candidates[0] ?? 'name';
  let number = 2;
  while (!free(`${base}${number}`)) number += 1;
  return `${base}${number}`;
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();
}
