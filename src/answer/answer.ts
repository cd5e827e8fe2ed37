import { Readable } from 'node:stream';
import { isLongText, isText, lengthOf, type Text, textPieces } from '../base/text.ts';
import { TimeSlice } from '../base/time-slice.ts';

/** The answer to a request of any kind. */
export interface Answer {
  /** The HTTP status. */
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * A stream is read as fast as the client takes it, and destroyed when the client disconnects; a stream that fails breaks the answer off. Null where the
   * status has no body.
   */
  readonly body: Text | Uint8Array | Readable | null;
}

/** The content type of JSON answers. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/** The body of the answer where an image cannot be had in the wanted form (§4.5). */
export const NO_IMAGE = '{}';

/** The text of an answer that has nothing to tell but success (§4.6). */
export const OK = '{"ok":true}';

/** An answer of JSON text. */
export function jsonAnswer(text: Text, status = 200): Answer {
  return { status, headers: { 'content-type': JSON_TYPE }, body: text };
}

/**
 * Encodes a long text in time slices, to be sent piece by piece: as a whole it would be in memory twice until the client has taken all of it.
 * @param change is applied to each piece before it is encoded
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

/** An answer whose body is sent piece by piece. */
export function inPieces({ status, headers }: Answer, pieces: readonly Buffer[]): Answer {
  return {
    status,
    headers: { ...headers, 'content-length': String(lengthOf(pieces)) },
    body: Readable.from(pieces, { objectMode: false }),
  };
}
