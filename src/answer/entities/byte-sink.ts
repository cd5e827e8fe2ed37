import { Readable } from 'node:stream';
import { answerTooLong, LONGEST_ANSWER } from './list-writing.ts';
import { isLongText, isText, lengthOf, textPieces } from '../../base/text.ts';
import { TimeSlice } from '../../base/time-slice.ts';
import type { Answer } from '../answer.ts';

/** How many bytes are put together: longer ones would be copied, whole, to where there is room for more. */
const PIECE = 1_048_576;

/** How large what most answers are written in is, in bytes. */
const SPARE = 65_536;

/** What an answer is written in, while none is: to make one for each would take as long as to write a short answer. */
let spare: Written | null = null;

/** Bytes, and the same as numbers. */
interface Written {
  readonly bytes: Buffer;
  readonly view: DataView;
}

function newBytes(size: number): Written {
  // Of no pool: it is kept.
  const bytes = Buffer.allocUnsafeSlow(size);
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, size) };
}

/** What is written as bytes, one behind the other, in pieces where it is long. */
export class ByteSink {
  /** The piece that is being written, up to {@link at}, and the same as numbers. */
  bytes: Buffer;
  view: DataView;
  at: number;
  readonly #pieces: Buffer[] = [];
  #length = 0;

  /** @param at where the first byte is written: what stands before that belongs to who asked for it */
  constructor(at: number) {
    const { bytes, view } = spare ?? newBytes(SPARE);
    spare = null;
    this.bytes = bytes;
    this.view = view;
    this.at = at;
  }

  /** Has room for so many bytes more. @throws ProtocolError answerTooLarge */
  reserve(count: number): void {
    if (this.at + count <= this.bytes.length) return;
    if (this.at >= PIECE) {
      this.#push();
      this.#grow(Math.max(PIECE, count));
    } else {
      this.#grow(Math.max(2 * this.bytes.length, this.at + count));
    }
  }

  /** Writes a text. */
  text(text: string): void {
    // No character of UTF-16 takes more in UTF-8.
    this.reserve(3 * text.length);
    this.at += this.bytes.write(text, this.at, 'utf8');
  }

  /** All that was written; nothing is written any more. */
  pieces(): readonly Buffer[] {
    const { bytes, view, at } = this;
    if (this.#pieces.length === 0 && bytes.length === SPARE) {
      const copy = Buffer.from(bytes.subarray(0, at));
      spare = { bytes, view };
      return [copy];
    }
    this.#push();
    return this.#pieces;
  }

  #push(): void {
    this.#pieces.push(this.bytes.subarray(0, this.at));
    this.#length += this.at;
    this.at = 0;
    if (this.#length > LONGEST_ANSWER) throw answerTooLong();
  }

  #grow(size: number): void {
    const { bytes, view } = newBytes(size);
    this.bytes.copy(bytes, 0, 0, this.at);
    if (this.bytes.length === SPARE) spare = { bytes: this.bytes, view: this.view };
    this.bytes = bytes;
    this.view = view;
  }
}

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
