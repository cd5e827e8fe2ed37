import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { atOnce } from '../../../src/base/time.ts';
import { tiffOf } from '../../../src/answer/image/bitmap.ts';
import { bitmap, type BitmapOptions, rows } from './bitmaps.ts';
import { bestFormat, type ImageType } from '../../../src/answer/image/formats.ts';
import { storedImage } from '../../../src/answer/image/stored-image.ts';
import { parsed, rows as table } from '../../rows.ts';
import { logos, oleObject, portraits } from '../../fixtures/legacy/binaries.ts';

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

const ALPHA = '[0xff0000, 0xff00, 0xff, 0xff000000]';
const KR = '[[0, 0, 0, 0], [0, 0, 255, 0]]';
const KRGB = '[[0, 0, 0, 0], [0, 0, 255, 0], [0, 255, 0, 0], [255, 0, 0, 0]]';

test.each(table`
  1 bit  | {width: 3, height: 2, bits: 1, palette: ${KR}} | [[0xa0], [0x40]] | 000000 ff0000 000000 | ff0000 000000 ff0000
  2 bits | {width: 4, height: 1, bits: 2, palette: ${KRGB}} | [[0x1b]] | 000000 ff0000 00ff00 0000ff
  4 bits | {width: 3, height: 1, bits: 4, palette: ${KRGB}} | [[0x12, 0x30]] | ff0000 00ff00 0000ff
  8 bits, from the top down, and a colour that the palette lacks | {width: 2, height: -2, bits: 8, palette: ${KR}}
    | [[1, 0], [200, 1]] | ff0000 000000 | 000000 ff0000
  24 bits | {width: 1, height: 2, bits: 24} | [[1, 2, 3], [4, 5, 6]] | 060504 | 030201
  32 bits without alpha | {width: 1, height: 1, bits: 32} | [[1, 2, 3, 9]] | 030201ff
  32 bits with alpha | {width: 2, height: 1, bits: 32, header: 108, compression: 3, masks: ${ALPHA}}
    | [[1, 2, 3, 128, 4, 5, 6, 255]] | 03020180 060504ff
  32 bits with an alpha of which nothing is set | {width: 1, height: 1, bits: 32, compression: 6, masks: ${ALPHA}} | [[1, 2, 3, 0]] | 030201ff
`)('a bitmap is read: %s', async (_, options, pixels, ...expected) => {
  const made = parsed<Omit<BitmapOptions, 'pixels'>>(options);
  const bytes = bitmap({ ...made, pixels: rows(...parsed<number[][]>(pixels)) });
  expect(await shown(bytes)).toEqual(expected);
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

const CHROME = 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8';

test.each<readonly [accept: string | undefined, stored: ImageType | null, best: ImageType]>([
  [undefined, 'jpeg', 'jpeg'],
  [undefined, 'bmp', 'png'],
  [undefined, null, 'png'],
  ['*/*', 'gif', 'gif'],
  [CHROME, 'png', 'png'],
  [CHROME, 'jpeg', 'jpeg'],
  [CHROME, 'tiff', 'png'],
  [CHROME, 'bmp', 'png'],
  ['image/bmp, */*;q=0.1', 'bmp', 'bmp'],
  ['image/tiff', 'tiff', 'tiff'],
  ['image/tiff', 'png', 'tiff'],
  ['image/jpeg;q=0.5, image/gif;q=0.9', 'png', 'gif'],
  ['image/png;q=0, */*', 'png', 'jpeg'],
  ['IMAGE/JPEG ; Q=1.0', 'png', 'jpeg'],
  ['image/*;q=0, */*', 'jpeg', 'png'],
  ['image/jpeg;q=high', 'png', 'png'],
  ['application/json', 'jpeg', 'png'],
  ['image/webp', 'bmp', 'webp'],
])('the best format for %s of %s is %s', (accept, stored, best) => {
  expect(bestFormat(accept, stored)).toBe(best);
});

const text = (value: string): Buffer => Buffer.from(`${value}\0`, 'latin1');

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

const measured = (value: string): Buffer => Buffer.concat([number(value.length + 1), text(value)]);

/** An OLE object as Access has it, of any class. */
function object(className: string, native: Uint8Array, size = native.length): Buffer {
  const header = Buffer.from('151c1400020000000000000014001400ffffffff', 'hex');
  const ole = [number(0x501), number(2), measured(className), number(0), number(0), number(size)];
  return Buffer.concat([header, ...ole, native, Buffer.from('0105000000000000', 'hex')]);
}

/** A file as the Object Packager wraps it. */
function packaged(file: Uint8Array, size = file.length): Buffer {
  return Buffer.concat([
    Buffer.from('0200', 'hex'),
    text('ada.jpg'),
    text('C:\\Photos\\ada.jpg'),
    Buffer.from('00000300', 'hex'),
    measured('C:\\Temp\\ada.jpg'),
    number(size),
    file,
  ]);
}

const { png, jpeg } = portraits;

describe('what a column of images holds is', () => {
  test.each([
    ['png', png],
    ['jpeg', jpeg],
    ['gif', logos.gif],
    ['bmp', portraits.bitmap],
    ['tiff', Buffer.from('II*\0')],
    ['webp', Buffer.from('RIFF\0\0\0\0WEBP')],
    [null, Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    [null, Buffer.alloc(0)],
  ])('%s', (type, bytes) => {
    const { length } = bytes;
    expect(storedImage(Buffer.from(bytes), length)).toEqual({ start: 0, length, type });
  });

  test('a bitmap that Access has wrapped behind 78 bytes', () => {
    const bytes = Buffer.from(oleObject(portraits.bitmap));
    expect(storedImage(bytes.subarray(0, 200), bytes.length)).toEqual({
      start: 78,
      length: portraits.bitmap.length,
      type: 'bmp',
    });
  });

  test('a file that the Object Packager has wrapped', () => {
    const bytes = object('Package', packaged(jpeg));
    const found = storedImage(bytes, bytes.length);
    expect(found.type).toBe('jpeg');
    expect(bytes.subarray(found.start, found.start + found.length)).toEqual(Buffer.from(jpeg));
  });

  test('an object whose content is not an image, without what wraps it', () => {
    const bytes = object('Word.Document.6', Buffer.from('a letter'));
    const found = storedImage(bytes, bytes.length);
    expect([found.type, bytes.toString('latin1', found.start, found.start + found.length)]).toEqual(
      [null, 'a letter'],
    );
  });

  test('no longer than it is, whatever the headers say', () => {
    const bytes = object('PBrush', portraits.bitmap, 2 ** 32 - 1);
    const { start, length } = storedImage(bytes, bytes.length);
    expect(start + length).toBe(bytes.length);
    const wrapped = object('Package', packaged(jpeg, 2 ** 32 - 1));
    const inner = storedImage(wrapped, wrapped.length);
    expect(inner.start + inner.length).toBe(wrapped.length - 8);
  });

  const whole = object('PBrush', portraits.bitmap);
  test.each([
    ['the end of a header', whole.subarray(0, 30)],
    ['an object that is linked, not embedded', Buffer.from(whole).fill(1, 24, 25)],
    ['no bytes in it', object('PBrush', Buffer.alloc(0))],
    ['a name that has no end', Buffer.from(whole).fill(255, 28, 32)],
    ['a header as long as nothing', Buffer.from(whole).fill(255, 2, 4)],
    ['another thing packaged', object('Package', Buffer.from('03006162', 'hex'))],
    ['a package without the file', object('Package', packaged(jpeg).fill(1, 30, 31))],
  ])('as it is behind %s', (_, bytes) => {
    const { length } = bytes;
    expect(storedImage(bytes, length)).toEqual({ start: 0, length, type: null });
  });
});
