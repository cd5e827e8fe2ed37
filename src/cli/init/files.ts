import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { StartupError } from '../../base/errors.ts';
import { displayPath } from '../../config/document/text-file.ts';
import { loadMappings, type MappingFolder } from '../../config/mapping.ts';

export interface FileToWrite {
  readonly path: string;
  readonly text: string;
  /** The permissions of a new file; the default of the process, where it is left out. */
  readonly mode?: number;
  /** The path of the file that has become this one, where its name changes with its content. */
  readonly before?: string;
}

/** The folder of the program, and the project that it is installed in, or else that folder. */
const PROGRAM = fileURLToPath(new URL('../../..', import.meta.url));
const PROJECT = /^.*?[\\/](?=node_modules[\\/])/.exec(PROGRAM)?.[0] ?? PROGRAM;

/**
 * Puts the line before a new file by which editors find its JSON Schema: by a relative path within a project, which may be copied with the package in it,
 * else by the URL of the file on this machine. Existing files stay, and so does a file that no schema is for or that an image has none for.
 */
export function withSchemaLine(file: FileToWrite): FileToWrite {
  const name = /^(table|view|mappings):/m.exec(file.text)?.[1];
  const schema = `${PROGRAM}schemas/${name === 'mappings' ? 'config' : 'mapping'}.schema.json`;
  if (name === undefined || existsSync(file.path) || !existsSync(schema)) return file;
  const path = relative(dirname(resolve(file.path)), schema).replaceAll(sep, '/');
  const isInProject = resolve(file.path).startsWith(PROJECT) && !/\s/.test(path);
  const address = isInProject ? path : pathToFileURL(schema).href;
  return { ...file, text: `# yaml-language-server: $schema=${address}\n${file.text}` };
}

/** Reads the mapping files of a folder, which need not exist yet. @throws StartupError */
export async function existingMappings(folder: string): Promise<MappingFolder> {
  return existsSync(folder) ? loadMappings(folder, null, true) : { dataclasses: [], functions: [] };
}

/**
 * Writes all files or none: each is written beside its path, and moved there once all are complete. A signal to end waits for the moves; before them,
 * it leaves nothing behind. @throws StartupError naming the file that could not be written
 */
export async function writeFiles(files: readonly FileToWrite[]): Promise<void> {
  const signals = new Signals();
  const staged: Staged[] = [];
  try {
    for (const file of files) {
      if (signals.caught !== null) break;
      await naming(file.path, async () => staged.push(await stage(file)));
    }
    if (signals.caught !== null) return;
    for (const { path, target, unfinished } of [...staged]) {
      await naming(path, () => rename(unfinished, target));
      staged.shift();
    }
    const written = new Set(files.map(({ path }) => path));
    for (const { before = null } of files) {
      if (before !== null && !written.has(before)) await naming(before, () => rm(before));
    }
  } finally {
    await Promise.all(staged.map(({ unfinished }) => rm(unfinished, { force: true })));
    signals.release();
  }
}

/** A file that is written and not yet moved to its path. */
interface Staged {
  readonly path: string;
  readonly target: string;
  readonly unfinished: string;
}

async function stage({ path, text, mode }: FileToWrite): Promise<Staged> {
  await mkdir(dirname(path), { recursive: true });
  // A link stays a link, and a file's permissions stay what they are.
  const target = existsSync(path) ? await realpath(path) : path;
  const before = existsSync(target) ? await stat(target) : null;
  const unfinished = `${target}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    const permissions = before?.mode ?? mode;
    await writeFile(unfinished, text, permissions === undefined ? {} : { mode: permissions });
    // Root keeps the owner of a file that a service reads.
    if (before !== null && process.geteuid?.() === 0) {
      await chown(unfinished, before.uid, before.gid);
    }
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  return { path, target, unfinished };
}

async function naming(path: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw StartupError.at(displayPath(path), `cannot be written: ${(error as Error).message}`);
  }
}

/** Delays signals to end until a piece of work is complete. */
class Signals {
  caught: NodeJS.Signals | null = null;
  readonly #hold = (signal: NodeJS.Signals): void => {
    this.caught = signal;
  };

  constructor() {
    process.on('SIGINT', this.#hold).on('SIGTERM', this.#hold);
  }

  /** Ends the delay, and sends the delayed signal again. */
  release(): void {
    process.off('SIGINT', this.#hold).off('SIGTERM', this.#hold);
    if (this.caught !== null) process.kill(process.pid, this.caught);
  }
}
