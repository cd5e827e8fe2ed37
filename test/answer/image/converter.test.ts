import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  ImageConverter,
  type ConversionLimits,
  type Source,
} from '../../../src/answer/image/converter.ts';
import type { MadeFormat } from '../../../src/answer/image/formats.ts';
import { portraits } from '../../fixtures/legacy/binaries.ts';
import { bitmap } from './bitmaps.ts';

const usual: ConversionLimits = {
  maxPixels: 64_000_000,
  maxBytes: 1_000_000,
  timeoutSeconds: 15,
  concurrency: 2,
};

const problems: Error[] = [];
afterEach(() => {
  expect(problems.splice(0)).toEqual([]);
});

function converter(limits: Partial<ConversionLimits> = {}): ImageConverter {
  return new ImageConverter({ ...usual, ...limits }, (problem) => problems.push(problem));
}

function source(bytes: Uint8Array, signal = new AbortController().signal): Source {
  return { length: bytes.length, read: () => Promise.resolve(Buffer.from(bytes)), signal };
}

const FORMATS: readonly MadeFormat[] = ['png', 'jpeg', 'gif', 'tiff', 'webp'];

/** Three pixels by two: red on the left, half of it seen, and blue on the right. */
const drawn = sharp(
  Buffer.from(
    [...Array<number[]>(2)].flatMap(() => [255, 0, 0, 128, 0, 0, 255, 255, 0, 0, 255, 255]),
  ),
  { raw: { width: 3, height: 2, channels: 4 } },
);

async function stored(type: MadeFormat): Promise<Buffer> {
  return drawn.clone().toFormat(type).toBuffer();
}

/** The type of an image as its reader tells it, its size, and one of its pixels. */
async function told(image: Buffer | null, x: number): Promise<unknown[]> {
  if (image === null) return [];
  const { format, width, height } = await sharp(image).metadata();
  const pixel = await sharp(image)
    .extract({ left: x, top: 0, width: 1, height: 1 })
    .ensureAlpha()
    .raw()
    .toBuffer();
  return [format, width, height, ...pixel];
}

describe('an image is converted', () => {
  test.each(FORMATS.flatMap((from) => FORMATS.map((to) => [from, to] as const)))(
    'from %s to %s',
    async (from, to) => {
      const image = await converter().convert(to, source(await stored(from)));
      const [format, width, height, red = 0, green = 255, blue = 0] = await told(image, 2);
      expect([format, width, height]).toEqual([to, 3, 2]);
      // Blue, as far as the formats that lose something tell; a JPEG of six pixels mixes it with its neighbours.
      expect(Number(blue)).toBeGreaterThan(Number(red) + 100);
      expect(Number(blue)).toBeGreaterThan(Number(green) + 100);
    },
  );

  test('to JPEG on white, which has no transparency', async () => {
    const clear = sharp({ create: { width: 8, height: 8, channels: 4, background: '#00000000' } });
    const image = await converter().convert('jpeg', source(await clear.png().toBuffer()));
    expect(await told(image, 0)).toEqual(['jpeg', 8, 8, 255, 255, 255, 255]);
  });

  test('as the camera was held', async () => {
    const wide = sharp({ create: { width: 4, height: 2, channels: 3, background: 'red' } });
    const turned = await wide.withMetadata({ orientation: 6 }).jpeg().toBuffer();
    const [, width, height] = await told(await converter().convert('png', source(turned)), 0);
    expect([width, height]).toEqual([2, 4]);
  });

  test('of its first frame', async () => {
    const frames = Buffer.from([255, 0, 0, 0, 0, 255]);
    const moving = await sharp(frames, { raw: { width: 1, height: 2, channels: 3, pageHeight: 1 } })
      .gif()
      .toBuffer();
    expect((await sharp(moving).metadata()).pages).toBe(2);
    const image = await converter().convert('png', source(moving));
    expect(await told(image, 0)).toEqual(['png', 1, 1, 255, 0, 0, 255]);
  });
});

/** A PNG of one colour that says how large it is, and may hold less. */
function pngOf(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const [length, crc] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    crc.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, crc]);
  };
  const header = Buffer.from('00000000000000000100000000', 'hex');
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const row = 1 + Math.ceil(width / 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(row * height))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

describe('there is no image', () => {
  const { png } = portraits;
  test.each([
    ['of text', Buffer.from('no image')],
    ['of nothing', Buffer.alloc(0)],
    ['of SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>')],
    ['of what ends in its middle', png.subarray(0, png.length / 2)],
    ['of what only begins as one', Buffer.from('89504e470d0a1a0a00000000', 'hex')],
    ['of a bitmap that is broken', Buffer.from('BM and no more of it, as it seems to be')],
    ['of a JPEG that is none', Buffer.from('ffd8ffe000104a464946', 'hex')],
    ['of a TIFF that is none', Buffer.from('II*\0\xff\xff\xff\xff', 'latin1')],
  ])('%s', async (_, bytes) => {
    expect(await converter().convert('gif', source(bytes))).toBeNull();
  });

  test('of 30,000 by 30,000 pixels', async () => {
    const bomb = pngOf(30_000, 30_000);
    const limits = { maxBytes: bomb.length };
    expect(await converter(limits).convert('jpeg', source(bomb))).toBeNull();
  });

  test('of more pixels than are allowed, and there is one of as many', async () => {
    const bytes = pngOf(100, 100);
    expect(await converter({ maxPixels: 10_000 }).convert('gif', source(bytes))).not.toBeNull();
    expect(await converter({ maxPixels: 9_999 }).convert('gif', source(bytes))).toBeNull();
    const large = bitmap({ width: 100, height: 100, bits: 1, pixels: Buffer.alloc(1600) });
    expect(await converter({ maxPixels: 10_000 }).convert('gif', source(large))).not.toBeNull();
    expect(await converter({ maxPixels: 9_999 }).convert('gif', source(large))).toBeNull();
  });

  test('of more bytes than are allowed, none of which are read', async () => {
    const read = vi.fn(() => Promise.resolve(Buffer.from(png)));
    const limits = { maxBytes: png.length - 1 };
    const { signal } = new AbortController();
    const image = await converter(limits).convert('gif', { length: png.length, read, signal });
    expect([image, read.mock.calls.length]).toEqual([null, 0]);
  });

  test('of one that sharp takes longer for than it may, which is ended', async () => {
    const limits = { maxPixels: 900_000_000, timeoutSeconds: 1 };
    // More than ten seconds of work, a line at a time; the same of a small one is done.
    const large = source(pngOf(30_000, 30_000));
    expect(await converter(limits).convert('tiff', source(pngOf(300, 300)))).not.toBeNull();
    expect(await converter(limits).convert('tiff', large)).toBeNull();
    await vi.waitFor(() => expect(sharp.counters()).toEqual({ queue: 0, process: 0 }), {
      timeout: 20_000,
    });
  });
});

describe('conversions', () => {
  test('run as many at once as there may be, the others in turn', async () => {
    const two = converter({ concurrency: 2 });
    let [running, most] = [0, 0];
    const bytes = Buffer.from(portraits.png);
    const { signal } = new AbortController();
    const read = async (): Promise<Buffer> => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return bytes;
    };
    const asked = Array.from({ length: 8 }, () =>
      two.convert('gif', { length: bytes.length, read, signal }),
    );
    expect((await Promise.all(asked)).every((image) => image !== null)).toBe(true);
    expect(most).toBe(2);
  });
});

test('where sharp has no binary nothing is converted, which is said once', async () => {
  vi.doMock('sharp', () => {
    throw new Error('Could not load the "sharp" module');
  });
  try {
    const without = converter();
    expect(await without.convert('gif', source(portraits.png))).toBeNull();
    expect(await without.convert('png', source(portraits.png))).toBeNull();
    expect(problems.splice(0).map(({ message }) => message)).toEqual([
      'Images are not converted: sharp cannot be loaded.',
    ]);
  } finally {
    vi.doUnmock('sharp');
  }
});
