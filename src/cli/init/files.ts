import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
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
