import {
  access,
  constants,
  mkdir,
  readdir,
  rename,
  rm,
  rmdir,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { lstatSync, readFileSync, statSync, unlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { displayPath } from '../../config/document/text-file.ts';
import { StartupError } from '../../base/errors.ts';
import { Engine } from './engine.ts';

/** The process that works on a folder. Process ids are used again, so its start is compared, too, if it is known. */
interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly started: string | null;
}

/** A lock that is held; it moves along when the folder is renamed. */
export interface FolderLock {
  /** To be called when the folder has been renamed. */
  readonly movedTo: (folder: string) => void;
  readonly release: () => void;
}

const NAME = 'entitygate.lock';

/** How long writing a lock file may take, in milliseconds: an unreadable older one has no holder. */
const WRITING = 2000;

/** The lock files of this process, which it also removes when it ends abruptly. */
const held = new Set<string>();

process.on('exit', () => held.forEach(remove));

/**
 * Locks a folder for this process: a second one would damage the embedded database. The lock of a dead process is taken over.
 * @returns a sentence about the process that holds the lock, if it is another
 * @throws StartupError if the lock is not a file; errors of the file system
 */
export async function lockFolder(folder: string): Promise<FolderLock | string> {
  let path = join(folder, NAME);
  const self: Holder = { pid: process.pid, host: hostname(), started: startOf(process.pid) };
  while (!(await create(path, JSON.stringify(self)))) {
    const text = readLock(path);
    // It has been released since.
    if (text === null) continue;
    const holder = whoHolds(path, text);
    if (holder !== null) return holder;
    await takeAway(path, text);
  }
  held.add(path);
  return {
    movedTo: (moved) => {
      held.delete(path);
      path = join(moved, NAME);
      held.add(path);
    },
    release: () => {
      if (held.delete(path)) remove(path);
    },
  };
}

/** Whether a living process holds the lock of a folder. */
export function isLocked(folder: string): boolean {
  const path = join(folder, NAME);
  const text = readLock(path);
  return text !== null && whoHolds(path, text) !== null;
}

async function create(path: string, text: string): Promise<boolean> {
  try {
    await writeFile(path, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** A sentence about the holder of a lock; null if it is dead. */
function whoHolds(path: string, text: string): string | null {
  const holder = parse(text);
  if (holder === null) {
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    return age < WRITING ? 'Another process is starting on it.' : null;
  }
  const { pid, host, started } = holder;
  if (host !== hostname()) {
    return `Process ${pid} on the machine or container ${host} works on it. If that one is gone, remove ${path}.`;
  }
  const alive =
    pid === process.pid
      ? held.has(path)
      : isAlive(pid) && (started === null || started === startOf(pid));
  return alive ? `Process ${pid} works on it: stop that one first.` : null;
}

/** Removes the lock of a dead process. It is moved aside first: if another process has taken it over since, it is moved back. */
async function takeAway(path: string, stale: string): Promise<void> {
  const aside = `${path}.${process.pid}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  if (readLock(aside) === stale) await unlink(aside);
  else await rename(aside, path);
}

function parse(text: string): Holder | null {
  try {
    const { pid, host, started } = (JSON.parse(text) as Partial<Holder> | null) ?? {};
    return typeof pid === 'number' && typeof host === 'string'
      ? { pid, host, started: started ?? null }
      : null;
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

/** When a process started, in the kernel's units; null without /proc. */
function startOf(pid: number): string | null {
  // The second field is the program's name in parentheses, with any characters.
  const stat = readIfAny(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
}

/** The text of a lock; null if there is none. */
function readLock(path: string): string | null {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  if (stats.isFile()) return readIfAny(path);
  const shown = displayPath(path);
  throw problem(`${shown} is not a file, and the lock of the embedded database is one: remove it`);
}

function readIfAny(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ESRCH')) return null;
    throw error;
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Another process has removed it.
  }
}

function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes(String((error as NodeJS.ErrnoException).code));
}

/** Fills a new database. */
export type Fill = (db: Engine) => Promise<void>;

/**
 * Opens the embedded database of a folder. A new folder is made and filled under another name, and renamed when it is complete, so that an
 * interrupted first start leaves nothing incomplete.
 * @param filling returns what fills a new database, before it is made
 * @throws StartupError when the folder cannot be made, is in use, or has other files
 */
export async function openFolder(
  directory: string,
  filling: () => Promise<Fill>,
): Promise<{ readonly db: Engine; readonly lock: FolderLock }> {
  try {
    if (await isNew(directory)) await makeFolder(directory, await filling());
    await access(directory, constants.R_OK | constants.W_OK);
    const lock = await locked(directory);
    try {
      return { db: await Engine.start(directory), lock };
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
    if (hasCode(error, 'ENOENT')) return true;
    throw error;
  }
  if (names.length > 0 && !names.includes('PG_VERSION')) {
    const shown = displayPath(directory);
    throw problem(`${shown} holds other files and no embedded database: name another folder`);
  }
  return names.length === 0;
}

async function makeFolder(directory: string, fill: Fill): Promise<void> {
  const unfinished = `${directory}.new-${process.pid}`;
  await mkdir(dirname(directory), { recursive: true });
  await removeLeftovers(directory);
  await mkdir(unfinished);
  const lock = await locked(unfinished);
  try {
    const db = await Engine.startProcess(unfinished);
    try {
      await fill(db);
    } finally {
      await db.close();
    }
    await removeEmpty(directory);
    await rename(unfinished, directory);
    lock.movedTo(directory);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    // If another process made the folder at the same time, that one is opened, and found in use.
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error;
  } finally {
    lock.release();
  }
}

/** Removes the folders of first starts that were killed. */
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
    if (hasCode(error, 'ENOENT')) return;
    if (!hasCode(error, 'EBUSY')) throw error;
    throw problem(`${displayPath(directory)} is a mount point: name a folder below it`);
  }
}

/** The SQLSTATE for a full disk. */
export const POSTGRES_DISK_FULL = '53100';

/** The error numbers of Emscripten's file system, which are WASI's: https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md#errno */
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
  return StartupError.at('database.directory', message);
}
