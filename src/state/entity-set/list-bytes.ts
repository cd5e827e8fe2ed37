import { bufferOf } from '../../base/text.ts';
import { type Chunk, KeyList, NumberChunk, PackedChunk } from './keys.ts';

/** The forms of chunks. */
const INTEGERS = 0;
const DOUBLES = 1;
const PACKED = 2;

/** The head of a chunk: its form, the number of its keys, and of packed keys the number of their bytes. */
const HEAD_BYTES = 9;

/** Writes a list of keys for another process of this machine: the chunks as they are in memory, each behind a head. Nothing is copied. */
export function* listBytes({ chunks }: KeyList): Generator<Buffer> {
  for (const chunk of chunks) {
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUInt32LE(chunk.size, 1);
    if (chunk instanceof PackedChunk) {
      head.writeUInt8(PACKED, 0);
      head.writeUInt32LE(chunk.content.length, 5);
      yield head;
      yield bufferOf(chunk.ends);
      yield chunk.content;
    } else {
      head.writeUInt8(chunk.values instanceof Int32Array ? INTEGERS : DOUBLES, 0);
      yield head;
      yield bufferOf(chunk.values);
    }
  }
}

/** Reads what {@link listBytes} wrote, as it comes. @throws RangeError where it ends before its end */
export async function listOfBytes(pieces: AsyncIterable<Buffer>): Promise<KeyList> {
  const reader = new PieceReader(pieces);
  const chunks: Chunk[] = [];
  for (let head = await reader.take(HEAD_BYTES); head !== null;) {
    const size = head.readUInt32LE(1);
    switch (head.readUInt8(0)) {
      case INTEGERS:
        chunks.push(new NumberChunk(new Int32Array(await reader.memory(4 * size))));
        break;
      case DOUBLES:
        chunks.push(new NumberChunk(new Float64Array(await reader.memory(8 * size))));
        break;
      case PACKED: {
        const ends = new Uint32Array(await reader.memory(4 * size));
        chunks.push(new PackedChunk(Buffer.from(await reader.memory(head.readUInt32LE(5))), ends));
        break;
      }
      default:
        throw new RangeError('these are not the bytes of a list of keys');
    }
    head = await reader.take(HEAD_BYTES);
  }
  return new KeyList(chunks);
}

/** Takes bytes from pieces of any length. */
class PieceReader {
  readonly #pieces: AsyncIterator<Buffer>;
  #left: Buffer = Buffer.alloc(0);

  constructor(pieces: AsyncIterable<Buffer>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /** Null at the end. @throws RangeError where the end comes earlier */
  async take(length: number): Promise<Buffer | null> {
    const taken = Buffer.from(new ArrayBuffer(length));
    for (let filled = 0; filled < length;) {
      if (this.#left.length === 0) {
        const next = await this.#pieces.next();
        if (next.done === true && filled === 0) return null;
        if (next.done === true) throw tooShort();
        this.#left = next.value;
      }
      const copied = this.#left.copy(taken, filled);
      this.#left = this.#left.subarray(copied);
      filled += copied;
    }
    return taken;
  }

  /** Takes bytes as memory of their own. @throws RangeError where they are missing */
  async memory(length: number): Promise<ArrayBuffer> {
    const taken = await this.take(length);
    if (taken === null) throw tooShort();
    return taken.buffer as ArrayBuffer;
  }
}

function tooShort(): RangeError {
  return new RangeError('the bytes of a list of keys end too early');
}
