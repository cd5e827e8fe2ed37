/** How long a text may be that is encoded, hashed or searched at once, in characters: a fraction of a millisecond. */
const PIECE = 262_144;

/** Whether a text is of more than one piece. */
export function isLongText(text: string): boolean {
  return text.length > PIECE;
}

/** The pieces that a text is of, in their order; none ends within a surrogate pair, so that each can be encoded by itself. */
export function* textPieces(text: string): Generator<string> {
  for (let at = 0; at < text.length;) {
    let end = Math.min(at + PIECE, text.length);
    const isWithinPair = end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
    if (isWithinPair) end += 1;
    yield text.slice(at, end);
    at = end;
  }
}
