import type { BitmapHeader } from './bitmap-header.ts';

/** Between how many runs others may have their turn: about a millisecond's work. */
const RUNS_A_TURN = 4096;

/**
 * Expands the runs of a bitmap, RLE4 or RLE8, to a byte a pixel, in the order of its rows. A generator, which yields between short pieces of
 * work. Pixels that are jumped over, or missing at the end, are of colour 0; what would lie outside is passed over.
 * https://learn.microsoft.com/windows/win32/gdi/bitmap-compression
 */
export function* expandRuns(
  bytes: Buffer,
  { width, height, compression, pixels }: BitmapHeader,
): Generator<undefined, Buffer> {
  const isNibbles = compression === 'runs4';
  const expanded = Buffer.alloc(width * height);
  let [x, y, at] = [0, 0, pixels];
  const put = (colour: number): void => {
    if (x < width && y < height) expanded[y * width + x] = colour;
    x += 1;
  };
  const nibble = (byte: number, index: number): number =>
    index % 2 === 0 ? byte >> 4 : byte & 0x0f;
  for (let runs = 1; at + 1 < bytes.length && y < height; runs += 1) {
    const [count = 0, second = 0] = [bytes[at], bytes[at + 1]];
    at += 2;
    if (runs % RUNS_A_TURN === 0) yield;
    if (count > 0) {
      for (let index = 0; index < count; index += 1) {
        put(isNibbles ? nibble(second, index) : second);
      }
    } else if (second === 0) {
      [x, y] = [0, y + 1];
    } else if (second === 1) {
      break;
    } else if (second === 2) {
      x += bytes[at] ?? 0;
      y += bytes[at + 1] ?? 0;
      at += 2;
    } else {
      // As many colours as the second byte says, filled up to whole words.
      for (let index = 0; index < second; index += 1) {
        const byte = bytes[at + (isNibbles ? index >> 1 : index)] ?? 0;
        put(isNibbles ? nibble(byte, index) : byte);
      }
      at += 2 * Math.ceil(second / (isNibbles ? 4 : 2));
    }
  }
  return expanded;
}
