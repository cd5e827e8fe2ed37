/** Text without the blanks that CHAR and NCHAR pad it with; other white space at its end is text. */
export function withoutPadding(text: string): string {
  let end = text.length;
  while (text.charCodeAt(end - 1) === BLANK) end -= 1;
  return text.slice(0, end);
}

const BLANK = 0x20;
