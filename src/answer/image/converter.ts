import { setImmediate } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { default as sharp, Sharp } from 'sharp';
import { decodeBitmap } from './bitmap.ts';
import { type ImageType, imageTypeOf, type MadeFormat } from './formats.ts';

/** How much one conversion may take, and how many run at once. */
export interface ConversionLimits {
  /** Pixels of an image. */
  readonly maxPixels: number;
  /** Bytes of an image as it is stored, all of which are in memory while it is converted. */
  readonly maxBytes: number;
  readonly timeoutSeconds: number;
  readonly concurrency: number;
}

/** An image to be converted. */
export interface Source {
  /** How many bytes it has. */
  readonly length: number;
  /** Reads them all. @throws what goes wrong, which then goes wrong with the conversion */
  readonly read: () => Promise<Buffer>;
  /** Aborted when nobody waits for it any more. */
  readonly signal: AbortSignal;
}

/**
 * Converts images from one format to another. The work is done by `sharp` on threads of its own, some of it at once and the rest in turn, and has an
 * end: images are data of anybody's.
 */
export class ImageConverter {
  readonly #limits: ConversionLimits;
  readonly #inTurn: ReturnType<typeof pLimit>;
  readonly #onProblem: (error: Error) => void;
  #loading: Promise<typeof sharp | null> | null = null;

  /** @param onProblem told once, if `sharp` has no binary for this machine: then nothing is converted */
  constructor(limits: ConversionLimits, onProblem: (error: Error) => void) {
    this.#limits = limits;
    this.#inTurn = pLimit(limits.concurrency);
    this.#onProblem = onProblem;
  }

  /**
   * The image in a format, of its first page or frame.
   * @returns null where it cannot be had: what is stored is not an image that is read here, it is broken, or is more than the limits allow
   * @throws the signal's reason, where it is aborted, and what reading the source throws
   */
  async convert(format: MadeFormat, source: Source): Promise<Buffer | null> {
    if (source.length > this.#limits.maxBytes) return null;
    return this.#inTurn(async () => {
      source.signal.throwIfAborted();
      const library = await (this.#loading ??= this.#load());
      if (library === null) return null;
      const bytes = await source.read();
      const type = imageTypeOf(bytes);
      if (type === null) return null;
      try {
        return await this.#made(library, format, type, bytes);
      } catch {
        // Broken, too large, or too slow: the bytes are at fault, and the client is told that there is no image.
        return null;
      }
    });
  }

  async #made(
    library: typeof sharp,
    format: MadeFormat,
    type: ImageType,
    bytes: Buffer,
  ): Promise<Buffer> {
    const { maxPixels, timeoutSeconds } = this.#limits;
    const image =
      type === 'bmp'
        ? await this.#bitmap(library, bytes)
        : library(bytes, { limitInputPixels: maxPixels, failOn: 'error', sequentialRead: true });
    // Cameras say how they were held, and say it beside the picture.
    const upright = image.autoOrient().timeout({ seconds: timeoutSeconds });
    // JPEG has no transparency.
    const opaque = format === 'jpeg' ? upright.flatten({ background: '#ffffff' }) : upright;
    return opaque.toFormat(format, OPTIONS[format]).toBuffer();
  }

  async #bitmap(library: typeof sharp, bytes: Buffer): Promise<Sharp> {
    const { maxPixels, timeoutSeconds } = this.#limits;
    const end = performance.now() + timeoutSeconds * 1000;
    const decoding = decodeBitmap(bytes, maxPixels);
    let step = decoding.next();
    while (step.done !== true) {
      if (performance.now() > end) throw new RangeError('the bitmap takes too long');
      await setImmediate();
      step = decoding.next();
    }
    const { data, width, height, channels } = step.value;
    return library(data, { limitInputPixels: maxPixels, raw: { width, height, channels } });
  }

  async #load(): Promise<typeof sharp | null> {
    try {
      const { default: library } = await import('sharp');
      library.cache(false);
      // Of the readers of image files only those are left that are meant: others are less looked after, and read programs and other files.
      library.block({ operation: ['VipsForeignLoad'] });
      library.unblock({ operation: READERS.map((name) => `VipsForeignLoad${name}`) });
      return library;
    } catch (error) {
      this.#onProblem(
        new Error('Images are not converted: sharp cannot be loaded.', { cause: error }),
      );
      return null;
    }
  }
}

/** https://www.libvips.org/API/current/#image-file-formats, by their classes */
const READERS = ['PngBuffer', 'JpegBuffer', 'NsgifBuffer', 'TiffBuffer', 'WebpBuffer'] as const;

/** TIFF would be packed as JPEG otherwise, and lose what nobody expects it to lose. */
const OPTIONS: Readonly<Record<MadeFormat, object>> = {
  png: {},
  jpeg: {},
  gif: {},
  tiff: { compression: 'lzw', predictor: 'horizontal' },
  webp: {},
};
