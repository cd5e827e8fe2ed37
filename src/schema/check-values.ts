/** Casts, which change no value of a list; texts and numbers; names, bare, in brackets and in quotes; the rest a sign at a time. */
const TOKENS =
  /::\s*(?:"[^"]+"|[a-z][\w ]*)(?:\([\d,\s]+\))?(?:\[\])?|(?<text>N?'(?:[^']|'')*')|(?<number>-?\d+(?:\.\d+)?)|ARRAY(?<open>\[)|\[(?<bracketed>(?:[^\]]|\]\])+)\]|"(?<quoted>(?:[^"]|"")+)"|(?<word>[\p{L}_@#][\p{L}\p{N}_@#$]*)|[()\s]|(?<sign>.)/gsu;

/** Words of a list of values, in the letters that {@link LIST} has for them. */
const WORDS: Readonly<Record<string, string>> = { OR: 'o', IS: 'i', NULL: 'n', ANY: 'a' };

/** Conditions that a column is one of some values, or null, joined by OR. */
const CONDITION = '(?:cin|c=v|c=a\\[v(?:,v)*\\])';
const LIST = new RegExp(`^${CONDITION}(?:o${CONDITION})*$`);

/**
 * Returns the values that a check lists for its only column, as texts in the order of the definition; null where it says anything else. Both engines
 * write `STATUS IN ('a', 'b')` in a form of their own: `((("STATUS")::text = ANY (ARRAY['a'::text, 'b'::text])))`, `([STATUS]='b' OR [STATUS]='a')`.
 * Parentheses do not matter, as there is nothing but OR.
 */
export function listedValues(definition: string, column: string): readonly string[] | null {
  const values: string[] = [];
  const letters = [...definition.matchAll(TOKENS)].map(({ groups = {} }) => {
    const { text, number, open, sign = '', word } = groups;
    if (text !== undefined) {
      values.push(text.slice(text.indexOf("'") + 1, -1).replaceAll("''", "'"));
      return 'v';
    }
    if (number !== undefined) {
      values.push(number);
      return 'v';
    }
    const name =
      groups['bracketed']?.replaceAll(']]', ']') ?? groups['quoted']?.replaceAll('""', '"') ?? word;
    if (name?.toLowerCase() === column.toLowerCase()) return 'c';
    return name === undefined ? (open ?? sign) : (WORDS[name.toUpperCase()] ?? '?');
  });
  return LIST.test(letters.join('')) && values.length > 0 ? values : null;
}
