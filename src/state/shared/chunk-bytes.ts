import { type Chunk, NumberChunk, PackedChunk } from '../entity-set/keys.ts';

/** The first byte of a chunk: what follows are 32-bit integers, doubles, or the number of keys, their ends and their content, in little-endian. */
const kinds = { integers: 0, doubles: 1, packed: 2 };

/** Writes a chunk for the state store. Gateways of other versions read it, too. */
export function chunkBytes(chunk: Chunk): Buffer {
  if (chunk instanceof PackedChunk) {
    const { ends, content } = chunk;
    return Buffer.concat([
      Buffer.of(kinds.packed),
      bytesOf(Uint32Array.of(ends.length)),
      bytesOf(ends),
      content,
    ]);
  }
  const { values } = chunk;
  const kind = values instanceof Int32Array ? kinds.integers : kinds.doubles;
  return Buffer.concat([Buffer.of(kind), bytesOf(values)]);
}

/** Reads the bytes of {@link chunkBytes}. */
export function chunkOfBytes(bytes: Buffer): Chunk {
  // Typed arrays begin at multiples of their elements.
  const { buffer } = Uint8Array.from(bytes.subarray(1));
  const kind = bytes[0] ?? Number.NaN;
  switch (kind) {
    case kinds.integers:
      return new NumberChunk(new Int32Array(buffer));
    case kinds.doubles:
      return new NumberChunk(new Float64Array(buffer));
    case kinds.packed: {
      const [size = 0] = new Uint32Array(buffer, 0, 1);
      const ends = new Uint32Array(buffer, 4, size);
      return new PackedChunk(Buffer.from(buffer, 4 + ends.byteLength), ends);
    }
    default:
      throw new RangeError('a chunk of keys is of an unknown kind');
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: NodeJS.TypedArray): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
