/** What the headers of a bitmap say. */
export interface BitmapHeader {
  readonly width: number;
  readonly height: number;
  /** Rows stand from the bottom up as a rule. */
  readonly isTopDown: boolean;
  /** Bits a pixel. */
  readonly bits: 1 | 2 | 4 | 8 | 16 | 24 | 32;
  readonly compression: 'none' | 'runs4' | 'runs8';
  /** Where the pixels begin. */
  readonly pixels: number;
  /** The colours, each of `size` bytes: blue, green and red. */
  readonly palette: { readonly bytes: Buffer; readonly size: 3 | 4 };
  /** Of 16 and 32 bits: which ones are red, green, blue and, where there is, alpha. */
  readonly masks: readonly number[] | null;
}

/** Bytes of the BITMAPFILEHEADER. */
const FILE_HEADER = 14;

/** Bytes of the headers of OS/2 (BITMAPCOREHEADER) and of Windows (BITMAPINFOHEADER). */
const CORE_HEADER = 12;
const INFO_HEADER = 40;

/** Bytes of the first header that has masks of its own: BITMAPV2INFOHEADER, and of the first one with alpha. */
const MASKS_HEADER = 52;
const ALPHA_HEADER = 56;

/** https://learn.microsoft.com/openspecs/windows_protocols/ms-wmf/4e588f70-bd92-4a6f-b77f-35d0feaf7a57 */
const COMPRESSIONS = ['none', 'runs8', 'runs4', 'masks', 'jpeg', 'png', 'alphaMasks'] as const;

/** https://learn.microsoft.com/windows/win32/api/wingdi/ns-wingdi-bitmapinfoheader, biCompression */
const USUAL_MASKS = { 16: [0x7c00, 0x03e0, 0x001f], 32: [0xff0000, 0xff00, 0xff] } as const;

/** @throws RangeError where the bitmap is broken, or of a kind that is not read */
export function readBitmapHeader(bytes: Buffer): BitmapHeader {
  const size = bytes.readUInt32LE(FILE_HEADER);
  const isCore = size === CORE_HEADER;
  if (!isCore && size < INFO_HEADER) throw new RangeError('no such header');
  const at = FILE_HEADER + 4;
  const width = isCore ? bytes.readUInt16LE(at) : bytes.readInt32LE(at);
  const signedHeight = isCore ? bytes.readUInt16LE(at + 2) : bytes.readInt32LE(at + 4);
  const height = Math.abs(signedHeight);
  if (width <= 0 || height === 0) throw new RangeError('a bitmap without pixels');
  const bits = bitsOf(bytes.readUInt16LE(FILE_HEADER + (isCore ? 10 : 14)));
  const name = COMPRESSIONS[isCore ? 0 : bytes.readUInt32LE(FILE_HEADER + 16)];
  const hasMasks = name === 'masks' || name === 'alphaMasks';
  const runs = name === 'runs4' || name === 'runs8' ? name : null;
  const fits = runs === null ? name === 'none' || hasMasks : bits === (runs === 'runs4' ? 4 : 8);
  if (!fits) throw new RangeError('a compression that is not read');
  // Masks that the header does not have stand behind it.
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

function bitsOf(bits: number): BitmapHeader['bits'] {
  switch (bits) {
    case 1:
    case 2:
    case 4:
    case 8:
    case 16:
    case 24:
    case 32:
      return bits;
    default:
      throw new RangeError(`${bits} bits a pixel`);
  }
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
