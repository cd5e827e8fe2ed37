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

/** A word: a letter or a digit of any script, and what follows it of them and of their marks. */
const WORD = /[\p{L}\p{Nd}\p{Nl}][\p{L}\p{M}\p{Nd}\p{Nl}]*/gu;

/** How many signs stand for a name that has no letter. */
const MOST_SIGNS = 4;

/**
 * The words of a name: `TBL_ORD_HDR`, `Order Details`, `orderLine`, `HTTPServer`. Latin letters lose their accents, those of
 * other scripts stay (`日本`), and what is neither letter nor digit parts words. Of a name that holds signs alone (`🚀`), the
 * words are their code points: `u1F680`.
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
    .replace(/[^\p{ASCII}]\p{M}*/gu, withoutMarks);
  return plain.match(WORD) ?? signsOf(composed);
}

/** A letter without its marks, where it is an ASCII one beneath them; any other as it is. */
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
