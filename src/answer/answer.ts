import { Readable } from 'node:stream';
import { isLongText, isText, lengthOf, type Text, textPieces } from '../base/text.ts';
import { TimeSlice } from '../base/time.ts';

/** The answer to a request of any kind. */
export interface Answer {
  /** The HTTP status. */
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Null where the status has no body. A stream is destroyed when the client disconnects; a stream that fails breaks the answer off. */
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

/** The answer to a delete by a filter or of an entity set (§4.6): a header says how many entities were deleted (DECISIONS, "Updates"). */
export function deletedAnswer(count: number): Answer {
  const answer = jsonAnswer(OK);
  return { ...answer, headers: { ...answer.headers, 'entitygate-deleted': String(count) } };
}

/** The longest note, in characters: proxies limit headers. */
const LONGEST_NOTE = 1000;

/** An answer with a note for the client, in a header, which takes ASCII only. */
export function withNote({ status, headers, body }: Answer, note: string): Answer {
  const cut = note.length > LONGEST_NOTE ? `${note.slice(0, LONGEST_NOTE)}...` : note;
  const ascii = cut.replace(
    /[^\x20-\x7e]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return { status, headers: { ...headers, 'entitygate-note': ascii }, body };
}

/** Encodes a long text piece by piece in time slices, each after `change`: the whole would be in memory twice until the client has taken it. */
export async function encoded(
  answer: Answer,
  slice = new TimeSlice(),
  change: (text: string) => string = (text) => text,
): Promise<Answer> {
  const { status, headers, body } = answer;
  if (!isText(body)) return answer;
  if (typeof body === 'string' && !isLongText(body)) return { status, headers, body: change(body) };
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
