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

/**
 * The words of a name: `TBL_ORD_HDR`, `Order Details`, `orderLine`, `HTTPServer`. Accents are dropped and what is no Latin
 * letter or digit parts words, because names of the API are ASCII.
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
