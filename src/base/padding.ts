/** Text without the blanks that CHAR and NCHAR pad it with; other white space at its end is text. */
export function withoutPadding(text: string): string {
  return withoutLast(text, ' ');
}

/** As many of one character as are looked at together. */
const MANY = 4096;

/**
 * Text without all of one character that it ends with. A pattern such as `0+$` would try again at each of them, of which there may be so many that a
 * request takes seconds.
 */
export function withoutLast(text: string, character: string): string {
  const code = character.charCodeAt(0);
  let end = text.length;
  // Texts are compared many times faster than their characters.
  if (text.charCodeAt(end - MANY) === code) {
    const many = character.repeat(MANY);
    while (end >= MANY && text.slice(end - MANY, end) === many) end -= MANY;
  }
  while (text.charCodeAt(end - 1) === code) end -= 1;
  return text.slice(0, end);
}

/** What stands before a mark in a text; all of it where that is not there. */
export function before(text: string, mark: string): string {
  const at = text.indexOf(mark);
  return at < 0 ? text : text.slice(0, at);
}
