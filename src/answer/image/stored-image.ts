import { type ImageType, imageTypeOf } from './formats.ts';
import { before } from '../../base/text.ts';
import { catching } from '../../base/errors.ts';

interface Part {
  readonly start: number;
  readonly length: number;
}

/** The beginning of an Access field of type OLE Object, before the OLE 1 object. */
const ACCESS_SIGNATURE = 0x1c15;

/** https://learn.microsoft.com/openspecs/windows_protocols/ms-oleds/3395d95d-97f0-49ff-b792-09d331254f9d */
const EMBEDDED = 2;

/** The beginning of a file that the Object Packager has wrapped, and the mark that the file itself is included. */
const PACKAGE_SIGNATURE = 2;
const PACKAGED_FILE = 3;

/**
 * Finds the content of an OLE object that old programs such as Access store, from its first bytes: the header of Access, an embedded OLE 1 object, and
 * in it the native data of its program: a bitmap of Paint (`PBrush`), or a file in the Object Packager (`Package`). Null for other and broken objects.
 * https://learn.microsoft.com/openspecs/windows_protocols/ms-oleds/1a50ca43-b8e5-4b3c-ac1c-9ba9c9e2ddd6
 */
function oleContent(beginning: Buffer, length: number): Part | null {
  return catching(
    RangeError,
    () => readObject(new Reader(beginning), length),
    // The header continues beyond the first bytes, or is not a header.
    () => null,
  );
}

function readObject(reader: Reader, length: number): Part | null {
  if (reader.uint16() !== ACCESS_SIGNATURE) return null;
  reader.at = reader.uint16();
  reader.uint32(); // The version of OLE, which writers do not set reliably.
  if (reader.uint32() !== EMBEDDED) return null;
  const className = reader.measuredText();
  reader.measuredText(); // The topic and the item: names of linked files.
  reader.measuredText();
  const size = reader.uint32();
  const native = { start: reader.at, length: Math.min(size, length - reader.at) };
  if (native.length <= 0) return null;
  return className.toLowerCase() === 'package' ? packaged(reader, native) : native;
}

/** A label, the file's original path, its temporary path, its size, and its content. */
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

/** Reads one field after the other; throws a RangeError beyond the end. */
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

  /** Reads text after its length, which includes the NUL at its end. */
  measuredText(): string {
    const length = this.uint32();
    const end = this.at + length;
    if (end > this.#bytes.length) throw new RangeError('the text goes on behind the end');
    const text = this.#bytes.toString('latin1', this.at, end);
    this.at = end;
    return before(text, '\0');
  }

  /** Skips text that ends in NUL. */
  endedText(): void {
    const end = this.#bytes.indexOf(0, this.at);
    if (end === -1) throw new RangeError('the text has no end');
    this.at = end + 1;
  }
}

/** An image in the bytes of a column. */
export interface StoredImage extends Part {
  /** Null for what the gateway does not read. */
  readonly type: ImageType | null;
}

/** Finds the image in a column's value of `length` bytes, which an old program may have wrapped. `beginning` has all bytes or 4,096: headers of OLE with their names, and the signature of the image after them. */
export function storedImage(beginning: Buffer, length: number): StoredImage {
  const type = imageTypeOf(beginning);
  const wrapped = type === null ? oleContent(beginning, length) : null;
  if (wrapped === null) return { start: 0, length, type };
  return { ...wrapped, type: imageTypeOf(beginning.subarray(wrapped.start)) };
}
