import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StartupError } from '../base/errors.ts';
import { displayPath } from '../config/display-path.ts';
import { unreadable } from '../config/yaml.ts';
import { loadMappings, type MappingFile } from '../config/mapping.ts';

/** A file to be written whole. */
export interface FileToWrite {
  readonly path: string;
  readonly text: string;
}

/**
 * The mapping files of a folder; none where there is no such folder yet, or nothing in it.
 * @throws StartupError when it cannot be read, or a file in it is wrong
 */
export async function existingMappings(folder: string): Promise<MappingFile[]> {
  if (!existsSync(folder)) return [];
  let names: string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    throw new StartupError([
      { where: displayPath(folder), message: unreadable(error as NodeJS.ErrnoException, 'folder') },
    ]);
  }
  return names.some((name) => /\.ya?ml$/.test(name)) ? loadMappings(folder) : [];
}

/**
 * Writes files one after the other, each beside its place and moved there once complete: whoever reads meanwhile, or
 * after an interruption, finds each file as it was or as it is to be.
 * @throws StartupError naming the file that could not be written
 */
export async function writeFiles(files: readonly FileToWrite[]): Promise<void> {
  for (const { path, text } of files) {
    try {
      await writeWhole(path, text);
    } catch (error) {
      throw new StartupError([
        { where: displayPath(path), message: `cannot be written: ${(error as Error).message}` },
      ]);
    }
  }
}

async function writeWhole(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  // A link stays a link, and a file's permissions stay what they are.
  const target = existsSync(path) ? await realpath(path) : path;
  const mode = existsSync(target) ? { mode: (await stat(target)).mode } : {};
  const unfinished = `${target}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    await writeFile(unfinished, text, mode);
    await rename(unfinished, target);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}
