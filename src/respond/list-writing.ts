import { ProtocolError } from '../base/errors.ts';

/** How long the text of a list may be: it is in memory at once. */
const MOST_CHARACTERS = 268_435_456;

function tooLong(): ProtocolError {
  return new ProtocolError(
    'answerTooLarge',
    'The answer would be larger than 256 MB: ask for fewer attributes, or for a smaller page.',
  );
}

/** Writes the items of a list in steps. @returns their texts, with a separator between them. @throws ProtocolError answerTooLarge */
export function* listWriting<Item>(
  items: Iterable<Item>,
  write: (item: Item, index: number) => string,
  separator: string,
): Generator<void, string> {
  const texts: string[] = [];
  let length = 0;
  for (const item of items) {
    const text = write(item, texts.length);
    length += text.length;
    if (length > MOST_CHARACTERS) throw tooLong();
    texts.push(text);
    // Each may have a hundred related ones, and these as many.
    yield;
  }
  return texts.join(separator);
}
