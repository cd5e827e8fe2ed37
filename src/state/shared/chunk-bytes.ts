import { Chunk } from '../entity-set/keys.ts';

/** Writes a chunk for the state store: the number of ends, none where all keys are numbers; the ends, in 32 bits each; the bytes of the keys. All is in little-endian. */
export function chunkBytes({ ends, content }: Chunk): Buffer {
  const head = Uint32Array.of(ends?.length ?? 0, ...(ends ?? []));
  return Buffer.concat([Buffer.from(head.buffer), content]);
}

/** Reads the bytes of {@link chunkBytes}. */
export function chunkOfBytes(bytes: Buffer): Chunk {
  const count = bytes.readUInt32LE();
  const start = (1 + count) * Uint32Array.BYTES_PER_ELEMENT;
  // Typed arrays begin at multiples of their elements: both parts get memory of their own.
  const { buffer } = new Uint8Array(bytes.subarray(4, start));
  const content = Buffer.from(new Uint8Array(bytes.subarray(start)).buffer);
  return new Chunk(content, count === 0 ? null : new Uint32Array(buffer));
}
