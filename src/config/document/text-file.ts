import { isUtf8 } from 'node:buffer';
import { constants, open } from 'node:fs/promises';
import { isAbsolute, relative, resolve } from 'node:path';

/** The longest file of certificates or keys, in bytes: four times that of all authorities of the web. */
export const MOST_PEM_BYTES = 1_048_576;

/** What is wrong with a file, in words that can end a message. */
export class FileProblem extends Error {
  /** The position in the file, counted from 1; null for the whole file. */
  readonly position: { readonly line: number; readonly column: number } | null;

  constructor(message: string, position: FileProblem['position'] = null) {
    super(message);
    this.name = 'FileProblem';
    this.position = position;
  }
}

/** Reads a regular file of at most so many bytes; pipes and devices may never end. @throws FileProblem, or the error of the operating system */
export async function readBytes(path: string, most: number): Promise<Buffer> {
  // O_NONBLOCK is undefined on Windows, and counts as 0.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (stats.isDirectory()) throw new FileProblem('is a folder, not a file');
    if (!stats.isFile()) throw new FileProblem('is a pipe or a device, not a file');
    if (stats.size > most) {
      throw new FileProblem(`has ${inUnits(stats.size)}: expected ${inUnits(most)} at most`);
    }
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Reads a file of text in UTF-8, without its byte order mark, as {@link readBytes} does. @throws FileProblem, or the error of the operating system */
export async function readText(path: string, most: number): Promise<string> {
  const bytes = await readBytes(path, most);
  const isUtf16 = /^(?:fffe|feff)/.test(bytes.toString('hex', 0, 2));
  if (isUtf16) throw new FileProblem('is written in UTF-16: save it as UTF-8');
  const text = bytes.toString('utf8');
  if (!isUtf8(bytes)) {
    // An invalid byte was decoded to U+FFFD, which has other bytes.
    const written = Buffer.from(text);
    const at = bytes.findIndex((byte, index) => byte !== written[index]);
    const code = (bytes[at] ?? 0).toString(16).toUpperCase();
    const message = `the byte 0x${code} is not a character of UTF-8: save the file as UTF-8`;
    throw new FileProblem(message, positionIn(text, bytes.toString('utf8', 0, at).length));
  }
  const nul = text.indexOf('\0');
  if (nul >= 0) {
    const message = 'a NUL character stands here: expected text, saved as UTF-8';
    throw new FileProblem(message, positionIn(text, nul));
  }
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

function positionIn(text: string, at: number): FileProblem['position'] {
  const lines = text.slice(0, at).split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

function inUnits(bytes: number): string {
  return `${Math.ceil(bytes / 1_048_576).toLocaleString('en')} MiB`;
}

const REASONS: Readonly<Record<string, string>> = {
  EISDIR: 'is a folder, not a file',
  ENOTDIR: 'is a file, not a folder',
  ERR_INVALID_ARG_VALUE: 'is not a path: a NUL character stands in it',
  ELOOP: 'is a link that leads to itself',
};

/** Says why a file or a folder cannot be read. */
export function unreadable(error: unknown, what: 'file' | 'folder'): string {
  if (error instanceof FileProblem) return error.message;
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return `there is no such ${what}`;
  if (code === 'EACCES' || code === 'EPERM') {
    return `the user that runs the gateway may not read this ${what}`;
  }
  return REASONS[code] ?? `cannot be read: ${message}`;
}

/** Shows a path in messages: relative to the working directory where it lies below it, else absolute. */
export function displayPath(path: string): string {
  const absolute = resolve(path);
  const below = relative(process.cwd(), absolute);
  return below === '' || isAbsolute(below) || /^\.\.(?:[/\\]|$)/.test(below) ? absolute : below;
}
