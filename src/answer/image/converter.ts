import pLimit from 'p-limit';
import type { default as sharp, Matrix3x3 } from 'sharp';
import { inSlices, TimeSlice } from '../../base/time.ts';
import { tiffOf } from './bitmap.ts';
import { type ImageType, imageTypeOf, type MadeFormat } from './formats.ts';

export interface ConversionLimits {
  readonly maxPixels: number;
  /** Bytes of a stored image; all are in memory while it is converted. */
  readonly maxBytes: number;
  readonly timeoutSeconds: number;
  readonly concurrency: number;
}

export interface Source {
  /** In bytes. */
  readonly length: number;
  /** Reads all bytes; its errors are those of the conversion. */
  readonly read: () => Promise<Buffer>;
  /** Ends the conversion. */
  readonly signal: AbortSignal;
}

/** Converts images by `sharp`, which has threads of its own: some at once, the others in turn, and within limits, because images are untrusted. */
export class ImageConverter {
  readonly #limits: ConversionLimits;
  readonly #inTurn: ReturnType<typeof pLimit>;
  readonly #onProblem: (error: Error) => void;
  #loading: Promise<typeof sharp | null> | null = null;

  /** @param onProblem called once where `sharp` has no binary for this machine: then nothing is converted */
  constructor(limits: ConversionLimits, onProblem: (error: Error) => void) {
    this.#limits = limits;
    this.#inTurn = pLimit(limits.concurrency);
    this.#onProblem = onProblem;
  }

  /** Converts the first page or frame of an image; null where it is broken, not supported, or beyond the limits. */
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
        return await this.#made(library, format, type, bytes, source.signal);
      } catch {
        // Broken, too large, or too slow: the answer says that there is no image.
        return null;
      }
    });
  }

  async #made(
    library: typeof sharp,
    format: MadeFormat,
    type: ImageType,
    bytes: Buffer,
    signal: AbortSignal,
  ): Promise<Buffer> {
    const { maxPixels, timeoutSeconds } = this.#limits;
    const { tiff, isBlueFirst } =
      type === 'bmp'
        ? await inSlices(tiffOf(bytes), new TimeSlice(signal))
        : { tiff: bytes, isBlueFirst: false };
    const image = library(tiff, {
      limitInputPixels: maxPixels,
      failOn: 'error',
      sequentialRead: true,
    });
    // Cameras store how they were held beside the picture.
    const upright = image.autoOrient().timeout({ seconds: timeoutSeconds });
    const coloured = isBlueFirst ? upright.recomb(EXCHANGED) : upright;
    // JPEG has no transparency.
    const opaque = format === 'jpeg' ? coloured.flatten({ background: '#ffffff' }) : coloured;
    return opaque.toFormat(format, OPTIONS[format]).toBuffer();
  }

  async #load(): Promise<typeof sharp | null> {
    try {
      const { default: library } = await import('sharp');
      library.cache(false);
      // Other readers of files are less maintained, and some read programs and other files.
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

/** By default, TIFF would be compressed as JPEG, with losses. */
const OPTIONS: Readonly<Record<MadeFormat, object>> = {
  png: {},
  jpeg: {},
  gif: {},
  tiff: { compression: 'lzw', predictor: 'horizontal' },
  webp: {},
};

/** Red and blue in each other's place. */
const EXCHANGED: Matrix3x3 = [
  [0, 0, 1],
  [0, 1, 0],
  [1, 0, 0],
];
