import { type ImageType, imageTypeOf } from './formats.ts';
import { before } from '../../base/text.ts';

/** A part of bytes. */
interface Part {
  readonly start: number;
  readonly length: number;
}

/** As an Access field of type OLE Object begins: the header that Access puts before an OLE 1 object. */
const ACCESS_SIGNATURE = 0x1c15;

/** https://learn.microsoft.com/openspecs/windows_protocols/ms-oleds/3395d95d-97f0-49ff-b792-09d331254f9d */
const EMBEDDED = 2;

/** What the Object Packager puts before the file that it wraps, and what says that the file itself is there. */
const PACKAGE_SIGNATURE = 2;
const PACKAGED_FILE = 3;

/**
 * Where the content of an OLE object stands that a program of Access's time has put into a column of bytes: the header of Access, an embedded OLE 1 object,
 * in it the native data of its program; a bitmap of Paint's (`PBrush`), or a file that the Object Packager (`Package`) has wrapped.
 * https://learn.microsoft.com/openspecs/windows_protocols/ms-oleds/1a50ca43-b8e5-4b3c-ac1c-9ba9c9e2ddd6
 * @param beginning the first bytes, the headers among them
 * @param length how many bytes there are
 * @returns null where they are no such object, or a broken one
 */
function oleContent(beginning: Buffer, length: number): Part | null {
  try {
    return readObject(new Reader(beginning), length);
  } catch (error) {
    // A header that goes on behind the beginning, or that is none.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function readObject(reader: Reader, length: number): Part | null {
  if (reader.uint16() !== ACCESS_SIGNATURE) return null;
  reader.at = reader.uint16();
  reader.uint32(); // The version of OLE, which writers leave as they like.
  if (reader.uint32() !== EMBEDDED) return null;
  const className = reader.measuredText();
  reader.measuredText(); // The topic, and the item: names of linked files.
  reader.measuredText();
  const size = reader.uint32();
  const native = { start: reader.at, length: Math.min(size, length - reader.at) };
  if (native.length <= 0) return null;
  return className.toLowerCase() === 'package' ? packaged(reader, native) : native;
}

/** A label, the path that the file was taken from, its place at the time, its size, and the file. */
function packaged(reader: Reader, native: Part): Part | null {
  if (reader.uint16() !== PACKAGE_SIGNATURE) return null;
  reader.endedText();
  reader.endedText();
  reader.uint16();
  if (reader.uint16() !== PACKAGED_FILE) return null;
  reader.measuredText();
  const size = reader.uint32();
  const length = Math.min(size, native.start + native.length - reader.at);
  return length <= 0 ? null : { start: reader.at, length };
}

/** Reads one field after the other; what would lie behind the end throws a RangeError. */
class Reader {
  at = 0;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  uint16(): number {
    const value = this.#bytes.readUInt16LE(this.at);
    this.at += 2;
    return value;
  }

  uint32(): number {
    const value = this.#bytes.readUInt32LE(this.at);
    this.at += 4;
    return value;
  }

  /** Text behind its length, which counts the NUL at its end. */
  measuredText(): string {
    const length = this.uint32();
    const end = this.at + length;
    if (end > this.#bytes.length) throw new RangeError('the text goes on behind the end');
    const text = this.#bytes.toString('latin1', this.at, end);
    this.at = end;
    return before(text, '\0');
  }

  /** Passes over text that ends in NUL. */
  endedText(): void {
    const end = this.#bytes.indexOf(0, this.at);
    if (end === -1) throw new RangeError('the text has no end');
    this.at = end + 1;
  }
}

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
