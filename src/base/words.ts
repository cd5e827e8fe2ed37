/** Latin letters without a decomposition. */
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

/** A word: letters and digits of any script, with their marks. */
const WORD = /[\p{L}\p{Nd}\p{Nl}][\p{L}\p{M}\p{Nd}\p{Nl}]*/gu;

/** How many signs stand for a name without letters. */
const MOST_SIGNS = 4;

/**
 * Splits a name into words: `TBL_ORD_HDR`, `Order Details`, and `orderLine` unless `byCase` is false. Latin letters lose their accents, other scripts stay.
 * The words of a name of signs alone (`🚀`) are their code points: `u1F680`.
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
    .replace(/[^\p{ASCII}]\p{M}*/gu, withoutMarks);
  return plain.match(WORD) ?? signsOf(composed);
}

/** Removes the marks of a letter that is ASCII without them. */
function withoutMarks(letter: string): string {
  const plain = letter.normalize('NFKD').replace(/\p{M}/gu, '');
  return /^\p{ASCII}*$/u.test(plain) ? plain : letter;
}

function signsOf(name: string): string[] {
  const signs = name.match(/(?!\p{ASCII})\p{S}/gu) ?? [];
  return signs
    .slice(0, MOST_SIGNS)
    .map((sign) => `u${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase()}`);
}
