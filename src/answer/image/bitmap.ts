const BITS = [1, 2, 4, 8, 16, 24, 32] as const;

interface BitmapHeader {
  readonly width: number;
  readonly height: number;
  /** Rows are mostly stored from the bottom up. */
  readonly isTopDown: boolean;
  /** Bits per pixel. */
  readonly bits: (typeof BITS)[number];
  readonly compression: 'none' | 'runs4' | 'runs8';
  /** The offset of the pixels. */
  readonly pixels: number;
  /** The colours, each of `size` bytes: blue, green, red. */
  readonly palette: { readonly bytes: Buffer; readonly size: 3 | 4 };
  /** For 16 and 32 bits: the bits of red, green, blue and, if any, alpha. */
  readonly masks: readonly number[] | null;
}

/** Bytes of the BITMAPFILEHEADER. */
const FILE_HEADER = 14;

/** Bytes of the headers of OS/2 (BITMAPCOREHEADER) and of Windows (BITMAPINFOHEADER). */
const CORE_HEADER = 12;
const INFO_HEADER = 40;

/** Bytes of the first header with masks, BITMAPV2INFOHEADER, and of the first header with alpha. */
const MASKS_HEADER = 52;
const ALPHA_HEADER = 56;

/** https://learn.microsoft.com/openspecs/windows_protocols/ms-wmf/4e588f70-bd92-4a6f-b77f-35d0feaf7a57 */
const COMPRESSIONS = ['none', 'runs8', 'runs4', 'masks', 'jpeg', 'png', 'alphaMasks'] as const;

/** https://learn.microsoft.com/windows/win32/api/wingdi/ns-wingdi-bitmapinfoheader, biCompression */
const USUAL_MASKS = { 16: [0x7c00, 0x03e0, 0x001f], 32: [0xff0000, 0xff00, 0xff] } as const;

/** @throws RangeError where the bitmap is broken or not supported */
function readBitmapHeader(bytes: Buffer): BitmapHeader {
  const size = bytes.readUInt32LE(FILE_HEADER);
  const isCore = size === CORE_HEADER;
  if (!isCore && size < INFO_HEADER) throw new RangeError('no such header');
  const at = FILE_HEADER + 4;
  const width = isCore ? bytes.readUInt16LE(at) : bytes.readInt32LE(at);
  const signedHeight = isCore ? bytes.readUInt16LE(at + 2) : bytes.readInt32LE(at + 4);
  const height = Math.abs(signedHeight);
  if (width <= 0 || height === 0) throw new RangeError('a bitmap without pixels');
  const wanted = bytes.readUInt16LE(FILE_HEADER + (isCore ? 10 : 14));
  const bits = BITS.find((known) => known === wanted);
  if (bits === undefined) throw new RangeError(`${wanted} bits a pixel`);
  const name = COMPRESSIONS[isCore ? 0 : bytes.readUInt32LE(FILE_HEADER + 16)];
  const hasMasks = name === 'masks' || name === 'alphaMasks';
  const runs = name === 'runs4' || name === 'runs8' ? name : null;
  const fits = runs === null ? name === 'none' || hasMasks : bits === (runs === 'runs4' ? 4 : 8);
  if (!fits) throw new RangeError('a compression that is not read');
  // Masks that are not in the header follow it.
  const behind = hasMasks && size < MASKS_HEADER ? (name === 'masks' ? 12 : 16) : 0;
  const palette = FILE_HEADER + size + behind;
  return {
    width,
    height,
    isTopDown: signedHeight < 0,
    bits,
    compression: runs ?? 'none',
    pixels: bytes.readUInt32LE(10),
    palette: { bytes: bytes.subarray(palette, palette + 4 * 256), size: isCore ? 3 : 4 },
    masks: bits === 16 || bits === 32 ? masksOf(bytes, bits, size, hasMasks ? name : null) : null,
  };
}

function masksOf(
  bytes: Buffer,
  bits: 16 | 32,
  size: number,
  named: 'masks' | 'alphaMasks' | null,
): readonly number[] {
  const first = FILE_HEADER + INFO_HEADER;
  const read = (index: number): number => bytes.readUInt32LE(first + 4 * index);
  const colours = named === null ? USUAL_MASKS[bits] : [read(0), read(1), read(2)];
  const hasAlpha = size >= ALPHA_HEADER || named === 'alphaMasks';
  const alpha = named !== null && hasAlpha ? read(3) : 0;
  return alpha === 0 ? colours : [...colours, alpha];
}

/** How many runs are expanded between two yields: about a millisecond's work. */
const RUNS_A_TURN = 4096;

/**
 * Expands the runs of a bitmap (RLE4, RLE8) to a byte per pixel, in steps. Skipped and missing pixels have colour 0; pixels outside are ignored.
 * https://learn.microsoft.com/windows/win32/gdi/bitmap-compression
 */
function* expandRuns(
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
      // The second byte is the number of colours, which are padded to whole words.
      for (let index = 0; index < second; index += 1) {
        const byte = bytes[at + (isNibbles ? index >> 1 : index)] ?? 0;
        put(isNibbles ? nibble(byte, index) : byte);
      }
      at += 2 * Math.ceil(second / (isNibbles ? 4 : 2));
    }
  }
  return expanded;
}

/** Pixels, row by row from the top, a byte each for red, green, blue and, with four channels, alpha. */
export interface Pixels {
  readonly data: Buffer;
  readonly width: number;
  readonly height: number;
  readonly channels: 3 | 4;
}

/** How many pixels are decoded between two yields: about a millisecond's work. */
const PIXELS_A_TURN = 100_000;

/**
 * Decodes a Windows or OS/2 bitmap of 1 to 32 bits per pixel, with or without runs and masks, in steps. An incomplete last row is filled with black.
 * https://learn.microsoft.com/windows/win32/gdi/bitmap-storage
 * @throws RangeError where it is broken, not supported, or has more than `maxPixels`
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

/** Compiles a function that writes the row at an offset of the bitmap to an offset of the pixels. */
function rowWriter(
  header: BitmapHeader,
  bytes: Buffer,
  data: Buffer,
  channels: 3 | 4,
): (from: number, to: number) => void {
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
  // Runs were expanded to a byte per pixel.
  const depth = compression === 'none' ? bits : 8;
  const perByte = 8 / depth;
  const mask = 2 ** depth - 1;
  return (from, to) => {
    for (let x = 0; x < width; x += 1) {
      const byte = bytes[from + Math.floor(x / perByte)] ?? 0;
      const index = (byte >> (8 - depth - (x % perByte) * depth)) & mask;
      // Entries are blue, green, red; missing entries are black.
      const entry = index * palette.size;
      data[to + 3 * x] = palette.bytes[entry + 2] ?? 0;
      data[to + 3 * x + 1] = palette.bytes[entry + 1] ?? 0;
      data[to + 3 * x + 2] = palette.bytes[entry] ?? 0;
    }
  };
}

/** Compiles a reader of a mask's bits as a level from 0 to 255. */
function levelReader(mask: number): (value: number) => number {
  if (mask === 0) return () => 0;
  const shift = 31 - Math.clz32(mask & -mask);
  const highest = mask >>> shift;
  return (value) => Math.round((((value & mask) >>> shift) * 255) / highest);
}

/** Makes all pixels opaque where all are transparent: many programs leave alpha at 0. */
function unveil(data: Buffer): void {
  for (let at = 3; at < data.length; at += 4) if (data[at] !== 0) return;
  for (let at = 3; at < data.length; at += 4) data[at] = 255;
}
