import { Readable } from 'node:stream';
import { lengthOf } from '../../base/buffers.ts';
import { isLongText, isText, textPieces } from '../../base/text-pieces.ts';
import { TimeSlice } from '../../base/time-slice.ts';
import type { Answer } from '../answer.ts';

/**
 * An answer whose text, where it is long, is encoded in slices and is handed to the socket in pieces: as a whole it would be there twice until the
 * client has taken the last of it.
 * @param change what becomes of each piece of the text before it is encoded, such as a stamp in its places
 * @throws the reason of the slice's signal
 */
export async function encoded(
  answer: Answer,
  slice = new TimeSlice(),
  change: (text: string) => string = (text) => text,
): Promise<Answer> {
  const { status, headers, body } = answer;
  if (!isText(body)) return answer;
  if (typeof body === 'string' && !isLongText(body)) {
    return { status, headers, body: change(body) };
  }
  const pieces: Buffer[] = [];
  for (const text of textPieces(body)) {
    await slice.pause();
    pieces.push(Buffer.from(change(text)));
  }
  return inPieces(answer, pieces);
}

/** An answer whose body is handed to the socket piece by piece. */
export function inPieces({ status, headers }: Answer, pieces: readonly Buffer[]): Answer {
  return {
    status,
    headers: { ...headers, 'content-length': String(lengthOf(pieces)) },
    body: Readable.from(pieces, { objectMode: false }),
  };
}
