import type { KeyListBuilder } from './builder.ts';
import { NumberChunk, type Chunk, type PackedChunk } from './chunk.ts';

/** Appends the keys of a chunk whose marks are as wanted. */
export function appendMarked(
  chunk: Chunk,
  marks: Uint8Array,
  wanted: 0 | 1,
  builder: KeyListBuilder,
): void {
  const unwanted = marks.subarray(0, chunk.size).indexOf(1 - wanted);
  if (unwanted === -1) builder.append(chunk, 0, chunk.size);
  else if (chunk instanceof NumberChunk) builder.appendMarked(chunk.values, marks, wanted);
  else appendPacked(chunk, marks, wanted, builder);
}

/** Keys that stand together are copied together. */
function appendPacked(
  chunk: PackedChunk,
  marks: Uint8Array,
  wanted: 0 | 1,
  builder: KeyListBuilder,
): void {
  let start = marks.indexOf(wanted);
  while (start >= 0 && start < chunk.size) {
    const end = marks.indexOf(1 - wanted, start);
    const to = end === -1 ? chunk.size : Math.min(end, chunk.size);
    builder.append(chunk, start, to);
    start = marks.indexOf(wanted, to);
  }
}
