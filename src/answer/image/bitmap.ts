import { readBitmapHeader, type BitmapHeader } from './bitmap-header.ts';
import { expandRuns } from './bitmap-runs.ts';

/** Pixels, row by row from the top, a byte for each of red, green, blue and, where there are four, alpha. */
export interface Pixels {
  readonly data: Buffer;
  readonly width: number;
  readonly height: number;
  readonly channels: 3 | 4;
}

/** Between how many pixels others may have their turn: about a millisecond's work. */
const PIXELS_A_TURN = 100_000;

/**
 * Decodes a Windows or OS/2 bitmap of 1 to 32 bits a pixel, packed in runs or not, with any masks. A generator, which yields between short pieces of
 * work, so that a large one keeps nobody waiting. What is missing at its end stays black, as far as it is less than a row.
 * https://learn.microsoft.com/windows/win32/gdi/bitmap-storage
 * @param maxPixels how many pixels it may have
 * @throws RangeError where it is broken, or too large
 */
export function* decodeBitmap(bytes: Buffer, maxPixels: number): Generator<undefined, Pixels> {
  const header = readBitmapHeader(bytes);
  const { width, height, isTopDown, compression } = header;
  if (width * height > maxPixels) throw new RangeError('the bitmap is too large');
  const stored =
    compression === 'none'
      ? { bytes, start: header.pixels, stride: Math.ceil((width * header.bits) / 32) * 4 }
      : { bytes: yield* expandRuns(bytes, header), start: 0, stride: width };
  if (stored.start + stored.stride * (height - 1) > stored.bytes.length) {
    throw new RangeError('the bitmap ends before its last row');
  }
  const channels = header.masks?.[3] === undefined ? 3 : 4;
  const data = Buffer.alloc(width * height * channels);
  const write = rowWriter(header, stored.bytes, data, channels);
  const rowsATurn = Math.max(1, Math.floor(PIXELS_A_TURN / width));
  for (let row = 0; row < height; row += 1) {
    const from = isTopDown ? row : height - 1 - row;
    write(stored.start + from * stored.stride, row * width * channels);
    if (row % rowsATurn === 0) yield;
  }
  if (channels === 4) unveil(data);
  return { data, width, height, channels };
}

/** Writes the row that begins at one place of the bitmap to another place of the pixels. */
type RowWriter = (from: number, to: number) => void;

function rowWriter(header: BitmapHeader, bytes: Buffer, data: Buffer, channels: 3 | 4): RowWriter {
  const { width, bits, compression, palette, masks } = header;
  if (bits === 24) {
    return (from, to) => {
      for (let x = 0; x < width; x += 1) {
        data[to + 3 * x] = bytes[from + 3 * x + 2] ?? 0;
        data[to + 3 * x + 1] = bytes[from + 3 * x + 1] ?? 0;
        data[to + 3 * x + 2] = bytes[from + 3 * x] ?? 0;
      }
    };
  }
  if (masks !== null) {
    const levels = masks.map(levelReader);
    const size = bits / 8;
    return (from, to) => {
      for (let x = 0; x < width; x += 1) {
        const at = from + size * x;
        const low = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8);
        const high = size === 4 ? (bytes[at + 2] ?? 0) | ((bytes[at + 3] ?? 0) << 8) : 0;
        const value = ((high << 16) | low) >>> 0;
        for (const [channel, level] of levels.entries()) {
          data[to + channels * x + channel] = level(value);
        }
      }
    };
  }
  // Runs are expanded to a byte a pixel.
  const depth = compression === 'none' ? bits : 8;
  const perByte = 8 / depth;
  const mask = 2 ** depth - 1;
  return (from, to) => {
    for (let x = 0; x < width; x += 1) {
      const byte = bytes[from + Math.floor(x / perByte)] ?? 0;
      const index = (byte >> (8 - depth - (x % perByte) * depth)) & mask;
      // Entries are blue, green, red; what the palette does not have is black.
      const entry = index * palette.size;
      data[to + 3 * x] = palette.bytes[entry + 2] ?? 0;
      data[to + 3 * x + 1] = palette.bytes[entry + 1] ?? 0;
      data[to + 3 * x + 2] = palette.bytes[entry] ?? 0;
    }
  };
}

/** Reads the bits of a mask as a level from 0 to 255. */
function levelReader(mask: number): (value: number) => number {
  if (mask === 0) return () => 0;
  const shift = 31 - Math.clz32(mask & -mask);
  const highest = mask >>> shift;
  return (value) => Math.round((((value & mask) >>> shift) * 255) / highest);
}

/** Many programs leave the alpha of all pixels 0 and mean that nothing is transparent. */
function unveil(data: Buffer): void {
  for (let at = 3; at < data.length; at += 4) if (data[at] !== 0) return;
  for (let at = 3; at < data.length; at += 4) data[at] = 255;
}
