import { ProtocolError } from '../../base/errors.ts';
import type { Text } from '../../base/text.ts';
import type { TimeSlice } from '../../base/time-slice.ts';

/** What is written, text by text: others may have their turn between two of them. */
export type Writing = Generator<string, void>;

/** How long an answer may be, in characters of its text or in its bytes: it is in memory at once. */
export const LONGEST_ANSWER = 268_435_456;

/** An answer is longer than {@link LONGEST_ANSWER}. */
export function answerTooLong(): ProtocolError {
  return new ProtocolError(
    'answerTooLarge',
    'The answer would be larger than 256 MB: ask for fewer attributes, or for a smaller page.',
  );
}

/** Texts, and what is written text by text, one behind the other. */
export function* inOrder(parts: readonly (string | Writing)[]): Writing {
  for (const part of parts) {
    if (typeof part === 'string') yield part;
    else yield* part;
  }
}

/** How many characters are put together: one string of all of a long answer would take longer to make than others are to wait. */
const PIECE = 131_072;

/** How many characters of short items are written at once: to look at the time for each would take as long as to write it. */
const TOGETHER = 4096;

/** Writes the items of a list, with a separator between them. @param write writes one item, at once or text by text */
export function* listWriting<Item>(
  items: Iterable<Item>,
  write: (item: Item, index: number) => string | Writing,
  separator: string,
): Writing {
  let index = 0;
  let text = '';
  for (const item of items) {
    if (index > 0) text += separator;
    const written = write(item, index);
    index += 1;
    if (typeof written === 'string') {
      text += written;
      if (text.length < TOGETHER) continue;
      yield text;
    } else {
      if (text !== '') yield text;
      yield* written;
    }
    text = '';
  }
  if (text !== '') yield text;
}

/**
 * Puts together what is written, in slices.
 * @param most how many characters it may have
 * @throws ProtocolError answerTooLarge, and the reason of the slice's signal
 */
export async function writtenText(
  writing: string | Writing,
  slice: TimeSlice,
  most = LONGEST_ANSWER,
): Promise<Text> {
  if (typeof writing === 'string') return writing;
  const pieces: string[] = [];
  let texts: string[] = [];
  let [length, open] = [0, 0];
  for (const text of writing) {
    length += text.length;
    if (length > most) throw answerTooLong();
    texts.push(text);
    open += text.length;
    if (open > PIECE) {
      pieces.push(texts.join(''));
      texts = [];
      open = 0;
    }
    if (slice.isOver()) await slice.pause();
  }
  const last = texts.join('');
  return pieces.length === 0 ? last : [...pieces, last];
}
