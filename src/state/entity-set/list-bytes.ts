import { deserialize, serialize } from 'node:v8';
import { bufferOf } from '../../base/text.ts';
import { type Chunk, KeyList, NumberChunk, type Numbers, PackedChunk } from './keys.ts';

type SentChunk =
  { readonly values: Numbers } | { readonly content: Uint8Array; readonly ends: Uint32Array };

/** The head of a chunk: the number of its bytes. */
const HEAD_BYTES = 4;

/** Writes a list of keys for another process of this machine, chunk by chunk. */
export function* listBytes({ chunks }: KeyList): Generator<Buffer> {
  for (const chunk of chunks) {
    const sent: SentChunk =
      chunk instanceof NumberChunk
        ? { values: chunk.values }
        : { content: chunk.content, ends: chunk.ends };
    const bytes = serialize(sent);
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUInt32LE(bytes.length);
    yield head;
    yield bytes;
  }
}

/** Reads the bytes of {@link listBytes} as they arrive. @throws RangeError where they end too early */
export async function listOfBytes(pieces: AsyncIterable<Buffer>): Promise<KeyList> {
  const reader = new PieceReader(pieces);
  const chunks: Chunk[] = [];
  for (;;) {
    const head = await reader.take(HEAD_BYTES);
    if (head === null) return new KeyList(chunks);
    const bytes = await reader.take(head.readUInt32LE());
    if (bytes === null) throw tooShort();
    const sent = deserialize(bytes) as SentChunk;
    chunks.push(
      'values' in sent
        ? new NumberChunk(sent.values)
        : new PackedChunk(bufferOf(sent.content), sent.ends),
    );
  }
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
    const taken = Buffer.allocUnsafeSlow(length);
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
}

function tooShort(): RangeError {
  return new RangeError('the bytes of a list of keys end too early');
}
