/** Bytes of the BITMAPFILEHEADER, and of the header behind it (BITMAPINFOHEADER), which later ones begin with. */
const FILE_HEADER = 14;
const INFO_HEADER = 40;

const BITS: readonly number[] = [1, 2, 4, 8, 24, 32];

/** More than JPEG, GIF and WebP have. */
const MOST_ROWS = 65_535;

/** The usual masks of 32 bits: red, green, blue. */
const MASKS = [0xff0000, 0xff00, 0xff] as const;

/** https://learn.microsoft.com/windows/win32/api/wingdi/ns-wingdi-bitmapinfoheader, biCompression */
const UNCOMPRESSED = 0;
const MASKED = [3, 6];

interface BitmapHeader {
  /** Of the header behind the BITMAPFILEHEADER. */
  readonly size: number;
  readonly width: number;
  readonly height: number;
  /** Rows are mostly stored from the bottom up. */
  readonly isTopDown: boolean;
  /** Bits per pixel. */
  readonly bits: number;
  readonly hasAlpha: boolean;
  /** The offset of the pixels. */
  readonly pixels: number;
}

/** @throws RangeError where the bitmap is broken, or of a kind that is not read */
function readHeader(bytes: Buffer): BitmapHeader {
  const size = bytes.readUInt32LE(FILE_HEADER);
  const width = bytes.readInt32LE(FILE_HEADER + 4);
  const signedHeight = bytes.readInt32LE(FILE_HEADER + 8);
  const bits = bytes.readUInt16LE(FILE_HEADER + 14);
  const compression = bytes.readUInt32LE(FILE_HEADER + 16);
  const isMasked = bits === 32 && MASKED.includes(compression);
  const mask = (index: number): number => bytes.readUInt32LE(FILE_HEADER + INFO_HEADER + 4 * index);
  const isRead =
    size >= INFO_HEADER &&
    width > 0 &&
    signedHeight !== 0 &&
    Math.abs(signedHeight) <= MOST_ROWS &&
    BITS.includes(bits) &&
    (isMasked
      ? MASKS.every((usual, index) => mask(index) === usual)
      : compression === UNCOMPRESSED);
  if (!isRead) throw new RangeError('a bitmap of this kind is not read');
  return {
    size,
    width,
    height: Math.abs(signedHeight),
    isTopDown: signedHeight < 0,
    bits,
    hasAlpha: isMasked && (size >= INFO_HEADER + 16 || compression === 6) && mask(3) !== 0,
    pixels: bytes.readUInt32LE(10),
  };
}

/** What a TIFF begins with; the offset of its tags follows. */
const TIFF_HEADER = Buffer.from('II*\0\0\0\0\0', 'latin1');

/** How many bytes one step copies: new memory takes its time. */
const PIECE = 1_048_576;

/**
 * Makes a TIFF of an uncompressed Windows bitmap, which sharp does not read, in steps: around its pixels as they are, with a strip for each row, so
 * that nothing is decoded here. Colours of 24 and 32 bits keep their order: blue, green, red.
 * https://learn.microsoft.com/windows/win32/gdi/bitmap-storage, https://www.itu.int/itudoc/itu-t/com16/tiff-fx/docs/tiff6.pdf
 * @throws RangeError where it is broken, or of a kind that is not read: with runs, 16 bits, unusual masks or a header of OS/2
 */
export function* tiffOf(
  bytes: Buffer,
): Generator<void, { readonly tiff: Buffer; readonly isBlueFirst: boolean }> {
  const header = readHeader(bytes);
  const { width, height, bits, isTopDown } = header;
  const rowLength = Math.ceil((width * bits) / 8);
  const stride = Math.ceil(rowLength / 4) * 4;
  if (header.pixels + stride * (height - 1) + rowLength > bytes.length) {
    throw new RangeError('the bitmap ends before its last pixel');
  }
  const pixels = TIFF_HEADER.length + header.pixels;
  const rows = Uint32Array.from(
    { length: height },
    (_, row) => pixels + stride * (isTopDown ? row : height - 1 - row),
  );
  const samples = bits < 24 ? 1 : bits / 8;
  const tags: readonly (readonly [tag: number, values: readonly number[] | Uint32Array])[] = [
    [256, [width]],
    [257, [height]],
    [258, new Array<number>(samples).fill(bits / samples)],
    [259, [1]], // no compression
    [262, [samples === 1 ? 3 : 2]], // a palette, or colours
    [273, rows],
    [277, [samples]],
    [278, [1]], // row per strip
    [279, new Uint32Array(height).fill(rowLength)],
    ...(samples === 1 ? [[320, paletteOf(bytes, header)] as const] : []),
    ...(samples === 4 ? [[338, [2]] as const] : []), // alpha
  ];
  const pieces = [TIFF_HEADER, bytes];
  let length = TIFF_HEADER.length + bytes.length;
  const entries = tags.map(([tag, values]) => {
    const data = Buffer.alloc(4 * values.length);
    for (const [index, value] of values.entries()) data.writeUInt32LE(value, 4 * index);
    const entry = Buffer.alloc(12);
    entry.writeUInt16LE(tag, 0);
    entry.writeUInt16LE(4, 2);
    entry.writeUInt32LE(values.length, 4);
    // A single value stands in the place of its offset.
    entry.writeUInt32LE(values.length === 1 ? (values[0] ?? 0) : length, 8);
    if (values.length > 1) {
      pieces.push(data);
      length += data.length;
    }
    return entry;
  });
  const directory = Buffer.concat([
    Buffer.from([tags.length, 0]),
    ...entries,
    Buffer.alloc(4), // no other image
  ]);
  const tiff = yield* joined([...pieces, directory]);
  tiff.writeUInt32LE(length, 4);
  if (samples === 4) yield* unveil(tiff.subarray(pixels, pixels + stride * height), header);
  return { tiff, isBlueFirst: samples > 1 };
}

function* joined(pieces: readonly Buffer[]): Generator<void, Buffer> {
  const all = Buffer.allocUnsafeSlow(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    for (let from = 0; from < piece.length; from += PIECE) {
      at += piece.copy(all, at, from, from + PIECE);
      yield;
    }
  }
  return all;
}

/** All red levels of the palette, then the green and the blue ones, of 16 bits each. Missing colours are black. */
function paletteOf(bytes: Buffer, { size, bits, pixels }: BitmapHeader): number[] {
  const colours = bytes.subarray(FILE_HEADER + size, pixels);
  return [2, 1, 0].flatMap((channel) =>
    Array.from({ length: 2 ** bits }, (_, index) => (colours[4 * index + channel] ?? 0) * 257),
  );
}

/** Makes pixels opaque that have no alpha, and where all are transparent: many programs leave alpha at 0. */
function* unveil(pixels: Buffer, { hasAlpha }: BitmapHeader): Generator<void> {
  const parts = Array.from({ length: Math.ceil(pixels.length / PIECE) }, (_, index) =>
    pixels.subarray(index * PIECE, (index + 1) * PIECE),
  );
  for (const part of hasAlpha ? parts : []) {
    for (let at = 3; at < part.length; at += 4) if (part[at] !== 0) return;
    yield;
  }
  for (const part of parts) {
    for (let at = 3; at < part.length; at += 4) part[at] = 255;
    yield;
  }
}
