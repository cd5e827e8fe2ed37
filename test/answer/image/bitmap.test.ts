import sharp from 'sharp';
import { expect, test } from 'vitest';
import { atOnce } from '../../../src/base/time.ts';
import { tiffOf } from '../../../src/answer/image/bitmap.ts';
import { bitmap, rows, type BitmapOptions } from './bitmaps.ts';

/** The pixels of each row as hexadecimal digits. */
async function shown(bytes: Buffer): Promise<string[]> {
  const { tiff, isBlueFirst } = atOnce(tiffOf(bytes));
  const image = sharp(tiff, { failOn: 'error' });
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  return Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (_, x) => {
      const at = (y * width + x) * channels;
      const [red = 0, green = 0, blue = 0, ...alpha] = data.subarray(at, at + channels);
      const colours = isBlueFirst ? [blue, green, red] : [red, green, blue];
      return Buffer.from([...colours, ...alpha]).toString('hex');
    }).join(' '),
  );
}

const K = [0, 0, 0, 0];
const R = [0, 0, 255, 0];
const G = [0, 255, 0, 0];
const B = [255, 0, 0, 0];
const RGB = [K, R, G, B];

const kinds: readonly (readonly [title: string, options: BitmapOptions, expected: string[]])[] = [
  [
    '1 bit',
    { width: 3, height: 2, bits: 1, palette: [K, R], pixels: rows([0b1010_0000], [0b0100_0000]) },
    ['000000 ff0000 000000', 'ff0000 000000 ff0000'],
  ],
  [
    '2 bits',
    { width: 4, height: 1, bits: 2, palette: RGB, pixels: rows([0b0001_1011]) },
    ['000000 ff0000 00ff00 0000ff'],
  ],
  [
    '4 bits',
    { width: 3, height: 1, bits: 4, palette: RGB, pixels: rows([0x12, 0x30]) },
    ['ff0000 00ff00 0000ff'],
  ],
  [
    '8 bits, from the top down, and a colour that the palette lacks',
    { width: 2, height: -2, bits: 8, palette: [K, R], pixels: rows([1, 0], [200, 1]) },
    ['ff0000 000000', '000000 ff0000'],
  ],
  [
    '24 bits',
    { width: 1, height: 2, bits: 24, pixels: rows([1, 2, 3], [4, 5, 6]) },
    ['060504', '030201'],
  ],
  [
    '32 bits without alpha',
    { width: 1, height: 1, bits: 32, pixels: rows([1, 2, 3, 9]) },
    ['030201ff'],
  ],
  [
    '32 bits with alpha',
    {
      width: 2,
      height: 1,
      bits: 32,
      header: 108,
      compression: 3,
      masks: [0xff0000, 0xff00, 0xff, 0xff000000],
      pixels: rows([1, 2, 3, 128, 4, 5, 6, 255]),
    },
    ['03020180 060504ff'],
  ],
  [
    '32 bits with an alpha of which nothing is set',
    {
      width: 1,
      height: 1,
      bits: 32,
      compression: 6,
      masks: [0xff0000, 0xff00, 0xff, 0xff000000],
      pixels: rows([1, 2, 3, 0]),
    },
    ['030201ff'],
  ],
];

test.each(kinds)('a bitmap is read: %s', async (_, options, expected) => {
  expect(await shown(bitmap(options))).toEqual(expected);
});

const plain = {
  width: 2,
  height: 2,
  bits: 24,
  pixels: rows([1, 2, 3, 4, 5, 6], [7, 8, 9, 1, 2, 3]),
};

test.each([
  ['a pixel that is missing', bitmap({ ...plain, pixels: plain.pixels.subarray(0, 13) })],
  ['more pixels than it can have', bitmap({ ...plain, width: 0x7fff_ffff, height: 1 })],
  ['more rows than other formats have', bitmap({ ...plain, height: 65_536 })],
  ['no width', bitmap({ ...plain, width: 0 })],
  ['a negative width', bitmap({ ...plain, width: -2 })],
  ['no height', bitmap({ ...plain, height: 0 })],
  ['bits that there are not', bitmap({ ...plain, bits: 5 })],
  ['16 bits', bitmap({ ...plain, bits: 16 })],
  ['unusual masks', bitmap({ ...plain, bits: 32, compression: 3, masks: [255, 0xff00, 0xff0000] })],
  ['runs', bitmap({ ...plain, bits: 8, compression: 1 })],
  ['a JPEG inside', bitmap({ ...plain, compression: 4 })],
  ['a header of OS/2', bitmap(plain).fill(12, 14, 15)],
  ['an end within the header', bitmap(plain).subarray(0, 20)],
])('a bitmap is refused with %s', (_, bytes) => {
  expect(() => atOnce(tiffOf(bytes))).toThrow(RangeError);
});
