import { ProtocolError } from '../base/errors.ts';

/** How long the text of a list may be: it is in memory at once. */
const MOST_CHARACTERS = 268_435_456;

function tooLong(): ProtocolError {
  return new ProtocolError(
    'answerTooLarge',
    'The answer would be larger than 256 MB: ask for fewer attributes, or for a smaller page.',
  );
}

/** How many characters are put together at once: all of a long list would take longer than others are to wait. */
const PIECE = 262_144;

/** Writes the items of a list in steps. @param write writes one item, at once or in steps of its own. @returns their texts, with a separator between them. @throws ProtocolError answerTooLarge */
export function* listWriting<Item>(
  items: Iterable<Item>,
  write: (item: Item, index: number) => string | Generator<void, string>,
  separator: string,
): Generator<void, string> {
  const pieces: string[] = [];
  let texts: string[] = [];
  let [length, open, index] = [0, 0, 0];
  for (const item of items) {
    const written = write(item, index);
    const text = typeof written === 'string' ? written : yield* written;
    index += 1;
    length += text.length;
    open += text.length;
    if (length > MOST_CHARACTERS) throw tooLong();
    texts.push(text);
    if (open > PIECE) {
      pieces.push(texts.join(separator));
      texts = [];
      open = 0;
    }
    // Each may have a hundred related ones, and these as many.
    yield;
  }
  if (texts.length > 0) pieces.push(texts.join(separator));
  yield;
  return pieces.join(separator);
}
