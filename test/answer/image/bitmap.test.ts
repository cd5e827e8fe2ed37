import { describe, expect, test } from 'vitest';
import { decodeBitmap, type Pixels } from '../../../src/answer/image/bitmap.ts';
import { bitmap, rows, type BitmapOptions } from './bitmaps.ts';

function decode(bytes: Buffer, maxPixels = 1000): Pixels {
  const decoding = decodeBitmap(bytes, maxPixels);
  for (;;) {
    const step = decoding.next();
    if (step.done === true) return step.value;
  }
}

/** `rgb` of each pixel as hexadecimal digits, rows apart. */
function shown({ data, width, height, channels }: Pixels): string[] {
  return Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (_, x) => {
      const at = (y * width + x) * channels;
      return data.toString('hex', at, at + channels);
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
    '16 bits with the usual masks',
    { width: 2, height: 1, bits: 16, pixels: rows([0x00, 0x7c, 0xff, 0x7f]) },
    ['ff0000 ffffff'],
  ],
  [
    '16 bits of 5, 6 and 5',
    {
      width: 2,
      height: 1,
      bits: 16,
      compression: 3,
      masks: [0xf800, 0x07e0, 0x001f],
      pixels: rows([0xe0, 0x07, 0x1f, 0x00]),
    },
    ['00ff00 0000ff'],
  ],
  [
    '24 bits',
    { width: 1, height: 2, bits: 24, pixels: rows([1, 2, 3], [4, 5, 6]) },
    ['060504', '030201'],
  ],
  [
    '32 bits without alpha',
    { width: 1, height: 1, bits: 32, pixels: rows([1, 2, 3, 9]) },
    ['030201'],
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
  [
    'of OS/2',
    {
      width: 2,
      height: 1,
      bits: 1,
      header: 12,
      palette: [
        [0, 0, 255],
        [255, 0, 0],
      ],
      pixels: rows([0b0100_0000]),
    },
    ['ff0000 0000ff'],
  ],
  [
    'runs of 8 bits: encoded, absolute, a jump, the end of a row and of the bitmap',
    {
      width: 4,
      height: 3,
      bits: 8,
      compression: 1,
      palette: RGB,
      // A row of 1s; 2, 3, 1 as they are; two rows on to the right; the end.
      pixels: Buffer.from([4, 1, 0, 0, 0, 3, 2, 3, 1, 0, 0, 0, 0, 2, 1, 0, 2, 2, 0, 1]),
    },
    ['000000 00ff00 00ff00 000000', '00ff00 0000ff ff0000 000000', 'ff0000 ff0000 ff0000 ff0000'],
  ],
  [
    'runs of 4 bits, longer than a row',
    {
      width: 3,
      height: 2,
      bits: 4,
      compression: 2,
      palette: RGB,
      pixels: Buffer.from([9, 0x12, 0, 0, 0, 3, 0x32, 0x10, 0, 1]),
    },
    ['0000ff 00ff00 ff0000', 'ff0000 00ff00 ff0000'],
  ],
  [
    'of which the end of the last row is missing',
    { width: 2, height: 2, bits: 24, pixels: rows([1, 2, 3, 4, 5, 6], [7, 8, 9]).subarray(0, 11) },
    ['090807 000000', '030201 060504'],
  ],
];

describe('a bitmap is decoded', () => {
  test.each(kinds)('%s', (_, options, expected) => {
    expect(shown(decode(bitmap(options)))).toEqual(expected);
  });

  test('in short pieces', () => {
    const bytes = bitmap({ width: 1000, height: 1000, bits: 1, pixels: Buffer.alloc(128_000) });
    const decoding = decodeBitmap(bytes, 1_000_000);
    let turns = 0;
    while (decoding.next().done !== true) turns += 1;
    expect(turns).toBe(10);
  });
});

const plain = {
  width: 2,
  height: 2,
  bits: 24,
  pixels: rows([1, 2, 3, 4, 5, 6], [7, 8, 9, 1, 2, 3]),
};

test.each([
  ['more pixels than allowed', bitmap(plain), 3],
  ['a row that is missing', bitmap({ ...plain, pixels: plain.pixels.subarray(0, 7) }), 4],
  ['no width', bitmap({ ...plain, width: 0 }), 4],
  ['a negative width', bitmap({ ...plain, width: -2 }), 4],
  ['no height', bitmap({ ...plain, height: 0 }), 4],
  ['bits that there are not', bitmap({ ...plain, bits: 5 }), 4],
  ['a JPEG inside', bitmap({ ...plain, compression: 4 }), 4],
  ['runs of other bits', bitmap({ ...plain, compression: 1 }), 4],
  ['a compression that there is not', bitmap({ ...plain, compression: 99 }), 4],
  ['a header that is too short', bitmap(plain).fill(13, 14, 15), 4],
  ['an end within the header', bitmap(plain).subarray(0, 20), 4],
])('a bitmap is refused with %s', (_, bytes, maxPixels) => {
  expect(() => decode(bytes, maxPixels)).toThrow(RangeError);
});
