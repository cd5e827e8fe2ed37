import { access, constants, mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { displayPath } from '../../config/document/text-file.ts';
import { StartupError } from '../../base/errors.ts';
import type { Engine } from './engine.ts';
import { isLocked, lockFolder, type FolderLock } from './folder-lock.ts';

/** Fills a new database. */
export type Fill = (db: Engine) => Promise<void>;

/** An embedded database that was opened, and the lock on its folder. */
export interface OpenedFolder {
  readonly db: Engine;
  readonly lock: FolderLock;
}

/**
 * Opens the embedded database of a folder. A folder that does not exist yet is made and filled beside its final place and
 * moved there once complete, so that an interrupted first start leaves nothing half made.
 * @param start starts PostgreSQL on a folder
 * @param filling gives what fills a new database, before it is made
 * @throws StartupError when the folder cannot be made, is in use, or is none of a database
 */
export async function openFolder(
  directory: string,
  start: (folder: string) => Promise<Engine>,
  filling: () => Promise<Fill>,
): Promise<OpenedFolder> {
  try {
    if (await isNew(directory)) await makeFolder(directory, start, await filling());
    await access(directory, constants.R_OK | constants.W_OK);
    const lock = await locked(directory);
    try {
      return { db: await start(directory), lock };
    } catch (error) {
      lock.release();
      throw error;
    }
  } catch (error) {
    throw asStartupError(error, directory);
  }
}

async function locked(directory: string): Promise<FolderLock> {
  const lock = await lockFolder(directory);
  if (typeof lock !== 'string') return lock;
  throw problem(`the embedded database in ${displayPath(directory)} is in use. ${lock}`);
}

/** Whether the folder is missing or empty. */
async function isNew(directory: string): Promise<boolean> {
  let names: string[];
  try {
    names = await readdir(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
    throw error;
  }
  if (names.length > 0 && !names.includes('PG_VERSION')) {
    throw problem(
      `${displayPath(directory)} holds other files and no embedded database: name another folder`,
    );
  }
  return names.length === 0;
}

async function makeFolder(
  directory: string,
  start: (folder: string) => Promise<Engine>,
  fill: Fill,
): Promise<void> {
  const unfinished = `${directory}.new-${process.pid}`;
  await mkdir(dirname(directory), { recursive: true });
  await removeLeftovers(directory);
  await mkdir(unfinished);
  const lock = await locked(unfinished);
  try {
    const db = await start(unfinished);
    try {
      await fill(db);
    } catch (error) {
      await db.close();
      throw error;
    }
    await db.close();
    await removeEmpty(directory);
    await rename(unfinished, directory);
    lock.movedTo(directory);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    // When another process made the folder at the same moment, that one is opened, and found in use.
    if (!['ENOTEMPTY', 'EEXIST'].includes(String((error as NodeJS.ErrnoException).code))) {
      throw error;
    }
  } finally {
    lock.release();
  }
}

/** What earlier first starts left behind when they were killed. */
async function removeLeftovers(directory: string): Promise<void> {
  const parent = dirname(directory);
  const prefix = `${basename(directory)}.new-`;
  for (const name of await readdir(parent)) {
    const folder = join(parent, name);
    if (name.startsWith(prefix) && !isLocked(folder)) {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

async function removeEmpty(directory: string): Promise<void> {
  try {
    await rmdir(directory);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return;
    if (code !== 'EBUSY') throw error;
    throw problem(`${displayPath(directory)} is a mount point: name a folder below it`);
  }
}

/** The SQLSTATE for it. */
export const POSTGRES_DISK_FULL = '53100';

/** Emscripten's file system numbers its errors as WASI does: https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md#errno */
const wasiErrors: Partial<Record<number, string>> = {
  2: 'EACCES',
  19: 'EDQUOT',
  51: 'ENOSPC',
  54: 'ENOTDIR',
  63: 'EPERM',
  69: 'EROFS',
};

function asStartupError(error: unknown, directory: string): unknown {
  if (error instanceof StartupError) return error;
  const { code, errno, path } = error as NodeJS.ErrnoException;
  const folder = displayPath(directory);
  const at = path === undefined ? folder : displayPath(path);
  switch (code ?? wasiErrors[errno ?? 0]) {
    case 'EACCES':
    case 'EPERM':
      return problem(`the gateway’s user may not write to ${at}`);
    case 'EROFS':
      return problem(`${at} lies on a file system that is read only`);
    case 'ELOOP':
      return problem(`${at} is a link that leads to itself`);
    case 'ENOTDIR':
    case 'EEXIST':
      return problem(`${at} is a file, not a folder`);
    case 'ENOSPC':
    case 'EDQUOT':
    case POSTGRES_DISK_FULL:
      return problem(`the disk of ${folder} is full`);
    case undefined:
    default:
      return problem(
        `the embedded database in ${folder} does not start; its files may be damaged. ` +
          `Remove the folder to begin anew, or restore a copy. PostgreSQL says: ${error instanceof Error ? error.message : String(error)}`,
      );
  }
}

function problem(message: string): StartupError {
  return new StartupError([{ where: 'database.directory', message }]);
}
