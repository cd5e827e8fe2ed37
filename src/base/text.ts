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

/** What JSON escapes, and halves of surrogate pairs, of which only those without the other half are escaped. */
// eslint-disable-next-line no-control-regex -- those that JSON escapes
const ESCAPED = /[\u0000-\u001f"\\\ud800-\udfff]/;

/** A text as JSON, as `JSON.stringify` has it, in less time for the most of them: those without an escape. */
export function jsonString(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** The same piece by piece; null of a text that is not long. */
export function longJsonString(text: string): Generator<string, void> | null {
  return isLongText(text) ? jsonStringPieces(text) : null;
}

/** The same of a long text, piece by piece. */
export function* jsonStringPieces(text: string): Generator<string, void> {
  yield '"';
  for (const piece of textPieces(text)) yield JSON.stringify(piece).slice(1, -1);
  yield '"';
}

/** How much of a name or of a value messages repeat, in characters. */
export const LONGEST_SHOWN = 60;

/** A name or a value as messages repeat it. @param most how much of it, in characters */
export function excerpt(text: string, most = LONGEST_SHOWN): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** How long a message may be, and a word of one. */
const MOST_MESSAGE = 4000;
const LONG_WORD = /\S{200,}/g;

/** A message without what would fill pages: names and keys come from clients, who may send megabytes of them. */
export function readable(message: string): string {
  const short =
    message.length <= MOST_MESSAGE
      ? message
      : `${message.slice(0, MOST_MESSAGE / 2)}…${message.slice(-MOST_MESSAGE / 2)}`;
  return short.replace(LONG_WORD, (word) => excerpt(word));
}

/** How long a text may be that is encoded, hashed or searched at once, in characters: a fraction of a millisecond. */
const PIECE = 262_144;

/** A text, or the parts of a long one: to make one string of them takes as long as they are. */
export type Text = string | readonly string[];

/** Whether it is a {@link Text}. */
export function isText(value: unknown): value is Text {
  return typeof value === 'string' || Array.isArray(value);
}

/** All of a text as one string: of what is short, or rarely asked for. */
export function wholeText(text: Text): string {
  return typeof text === 'string' ? text : text.join('');
}

/** Whether a text is of more than one piece. */
export function isLongText(text: Text): boolean {
  return typeof text !== 'string' || text.length > PIECE;
}

/** Whether a text of at most so many characters may be a long one. @param most null where it may have any number */
export function mayBeLong(most: number | null): boolean {
  return most === null || most > PIECE;
}

/** The pieces that a text is of, in their order; none ends within a surrogate pair, so that each can be encoded by itself. */
export function* textPieces(text: Text): Generator<string> {
  if (typeof text !== 'string') {
    for (const part of text) yield* textPieces(part);
    return;
  }
  for (let at = 0; at < text.length;) {
    let end = Math.min(at + PIECE, text.length);
    const isWithinPair = end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
    if (isWithinPair) end += 1;
    yield text.slice(at, end);
    at = end;
  }
}

/** The same bytes as a buffer. */
export function bufferOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** How many bytes buffers have together. */
export function lengthOf(buffers: readonly Buffer[]): number {
  return buffers.reduce((sum, { length }) => sum + length, 0);
}
