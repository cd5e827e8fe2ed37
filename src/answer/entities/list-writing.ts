import { ProtocolError } from '../../base/errors.ts';
import type { Text } from '../../base/text.ts';
import type { TimeSlice } from '../../base/time-slice.ts';

/** Text in parts: other requests may run between two of them. */
export type Writing = Generator<string, void>;

/** The largest answer, in characters of text or in bytes: all of it is in memory at once. */
export const LONGEST_ANSWER = 268_435_456;

/** The error for an answer longer than {@link LONGEST_ANSWER}. */
export function answerTooLong(): ProtocolError {
  return new ProtocolError(
    'answerTooLarge',
    'The answer would be larger than 256 MB: ask for fewer attributes, or for a smaller page.',
  );
}

/** Writes parts one after the other. */
export function* inOrder(parts: readonly (string | Writing)[]): Writing {
  for (const part of parts) {
    if (typeof part === 'string') yield part;
    else yield* part;
  }
}

/** How many characters are joined into one string: to join all of a long answer would block the event loop. */
const PIECE = 131_072;

/** How many characters of short items are written at once: a look at the clock takes as long as a short item. */
const TOGETHER = 4096;

/** Writes a list with a separator between its items. */
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
 * Joins a text in time slices.
 * @param most the largest number of characters
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
