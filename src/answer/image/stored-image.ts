import { oleContent, type Part } from './ole.ts';
import { imageTypeOf, type ImageType } from './signatures.ts';

/** How many bytes tell what a value is: headers of OLE with the names that they may hold, and how an image begins behind them. */
export const TELLING_BYTES = 4096;

/** An image in the bytes of a column. */
export interface StoredImage extends Part {
  /** Null for what the gateway does not read. */
  readonly type: ImageType | null;
}

/**
 * What a column of images holds, and where in it: an image as it is, or one that an old program has wrapped as an OLE object.
 * @param beginning the first bytes, {@link TELLING_BYTES} of them or more where there are as many
 * @param length how many bytes there are
 */
export function storedImage(beginning: Buffer, length: number): StoredImage {
  const type = imageTypeOf(beginning);
  const wrapped = type === null ? oleContent(beginning, length) : null;
  if (wrapped === null) return { start: 0, length, type };
  return { ...wrapped, type: imageTypeOf(beginning.subarray(wrapped.start)) };
}
