import { isUtf8 } from 'node:buffer';
import { constants, open } from 'node:fs/promises';
import { isAbsolute, relative, resolve } from 'node:path';

/** How long files of certificates and keys may be, in bytes: those of all authorities of the web are a quarter of it. */
export const MOST_PEM_BYTES = 1_048_576;

/** What is wrong with a file, in words that a message can end with. */
export class FileProblem extends Error {
  /** Where in the file it is, counted from 1; null where it is the file as a whole. */
  readonly place: { readonly line: number; readonly column: number } | null;

  constructor(message: string, place: FileProblem['place'] = null) {
    super(message);
    this.name = 'FileProblem';
    this.place = place;
  }
}

/**
 * Reads a file. What is none is not waited for: a pipe may have nobody at its other end, and a device no end.
 * @param most how many bytes it may have
 * @throws FileProblem where it is not a file or too long, else what the operating system says
 */
export async function readBytes(path: string, most: number): Promise<Buffer> {
  // Windows has no O_NONBLOCK, which is undefined there and counts as nothing.
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

/**
 * Reads a file of text in UTF-8; a byte order mark is not part of the text.
 * @param most how many bytes it may have
 * @throws FileProblem where it is no such file, else what the operating system says
 */
export async function readText(path: string, most: number): Promise<string> {
  const bytes = await readBytes(path, most);
  const isUtf16 = /^(?:fffe|feff)/.test(bytes.toString('hex', 0, 2));
  if (isUtf16) throw new FileProblem('is written in UTF-16: save it as UTF-8');
  const text = bytes.toString('utf8');
  if (!isUtf8(bytes)) {
    // What cannot be read became another character, and so other bytes.
    const written = Buffer.from(text);
    const at = bytes.findIndex((byte, index) => byte !== written[index]);
    const code = (bytes[at] ?? 0).toString(16).toUpperCase();
    const message = `the byte 0x${code} is not a character of UTF-8: save the file as UTF-8`;
    throw new FileProblem(message, placeIn(text, bytes.toString('utf8', 0, at).length));
  }
  const nul = text.indexOf('\0');
  if (nul >= 0) {
    const message = 'a NUL character stands here: expected text, saved as UTF-8';
    throw new FileProblem(message, placeIn(text, nul));
  }
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

function placeIn(text: string, at: number): { readonly line: number; readonly column: number } {
  const lines = text.slice(0, at).split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

function inUnits(bytes: number): string {
  return `${Math.ceil(bytes / 1_048_576).toLocaleString('en')} MiB`;
}

/** Why a file or a folder cannot be read, in words. */
export function unreadable(error: unknown, what: 'file' | 'folder'): string {
  if (error instanceof FileProblem) return error.message;
  const { code, message } = error as NodeJS.ErrnoException;
  switch (code) {
    case 'ENOENT':
      return `there is no such ${what}`;
    case 'EISDIR':
      return 'is a folder, not a file';
    case 'ENOTDIR':
      return 'is a file, not a folder';
    case 'ERR_INVALID_ARG_VALUE':
      return 'is not a path: a NUL character stands in it';
    case 'ELOOP':
      return 'is a link that leads to itself';
    case 'EACCES':
    case 'EPERM':
      return `the user that runs the gateway may not read this ${what}`;
    case undefined:
    default:
      return `cannot be read: ${message}`;
  }
}

/** A path as messages show it: relative to the working directory when it lies below it, else absolute. */
export function displayPath(path: string): string {
  const absolute = resolve(path);
  const below = relative(process.cwd(), absolute);
  return below === '' || isAbsolute(below) || /^\.\.(?:[/\\]|$)/.test(below) ? absolute : below;
}
