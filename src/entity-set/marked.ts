import type { KeyListBuilder } from './builder.ts';
import { CHUNK_SIZE, NumberChunk, type Chunk, type Numbers, type PackedChunk } from './chunk.ts';

/** Appends the keys of a chunk whose marks are as wanted. */
export function appendMarked(
  chunk: Chunk,
  marks: Uint8Array,
  wanted: 0 | 1,
  builder: KeyListBuilder,
): void {
  const unwanted = marks.subarray(0, chunk.size).indexOf(1 - wanted);
  if (unwanted === -1) builder.append(chunk, 0, chunk.size);
  else if (chunk instanceof NumberChunk) appendNumbers(chunk.values, marks, wanted, builder);
  else appendPacked(chunk, marks, wanted, builder);
}

/** All values are written, and the unwanted ones overwritten: to jump over them would take longer. */
function appendNumbers(
  values: Numbers,
  marks: Uint8Array,
  wanted: 0 | 1,
  builder: KeyListBuilder,
): void {
  const kept =
    values instanceof Float64Array ? new Float64Array(CHUNK_SIZE) : new Int32Array(CHUNK_SIZE);
  let size = 0;
  for (let index = 0; index < values.length; index += 1) {
    kept[size] = values[index] ?? 0;
    size += 1 ^ wanted ^ (marks[index] ?? 0);
  }
  builder.appendNumbers(kept.subarray(0, size));
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
