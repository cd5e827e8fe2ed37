/** How many entities are written before others may have their turn: each may have a hundred related ones, and these as many. */
const PIECE = 20;

/** Writes the items of a list in steps. @returns their texts, with a separator between them */
export function* listWriting<Item>(
  items: Iterable<Item>,
  write: (item: Item, index: number) => string,
  separator: string,
): Generator<void, string> {
  const texts: string[] = [];
  for (const item of items) {
    texts.push(write(item, texts.length));
    if (texts.length % PIECE === 0) yield;
  }
  return texts.join(separator);
}
