/** Bitmaps, made by hand from the description of the format. */

/** How a bitmap is made. */
export interface BitmapOptions {
  readonly width: number;
  /** Negative for one whose rows stand from the top down. */
  readonly height: number;
  readonly bits: number;
  readonly compression?: number;
  /** Rows as they stand in the file, padding included. */
  readonly pixels: Uint8Array;
  /** Entries of four bytes: blue, green, red. */
  readonly palette?: readonly (readonly number[])[];
  readonly masks?: readonly number[];
  /** Bytes of the info header: 40 where it is left out. */
  readonly header?: number;
}

/** A bitmap as a file. */
export function bitmap(options: BitmapOptions): Buffer {
  const { width, height, bits, compression = 0, pixels, palette = [], masks = [] } = options;
  const { header = 40 } = options;
  const info = Buffer.alloc(header);
  info.writeUInt32LE(header, 0);
  info.writeInt32LE(width, 4);
  info.writeInt32LE(height, 8);
  info.writeUInt16LE(1, 12);
  info.writeUInt16LE(bits, 14);
  info.writeUInt32LE(compression, 16);
  const maskBytes = Buffer.alloc(4 * masks.length);
  for (const [index, mask] of masks.entries()) maskBytes.writeUInt32LE(mask >>> 0, 4 * index);
  if (header > 40) maskBytes.copy(info, 40);
  const behind = header > 40 ? Buffer.alloc(0) : maskBytes;
  const colours = Buffer.from(palette.flat());
  const file = Buffer.alloc(14);
  file.write('BM', 0, 'latin1');
  const offset = 14 + header + behind.length + colours.length;
  file.writeUInt32LE(offset + pixels.length, 2);
  file.writeUInt32LE(offset, 10);
  return Buffer.concat([file, info, behind, colours, pixels]);
}

/** Rows of bytes, each filled up to whole double words. */
export function rows(...lines: readonly (readonly number[])[]): Buffer {
  return Buffer.concat(
    lines.map((line) =>
      Buffer.from([...line, ...Array<number>((4 - (line.length % 4)) % 4).fill(0)]),
    ),
  );
}
