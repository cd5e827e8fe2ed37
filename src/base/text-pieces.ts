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
