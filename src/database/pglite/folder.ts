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
import type { Engine } from './engine.ts';

/** Who works on a folder. Process ids are used again, so the process's start tells two of them apart where it is known. */
interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly started: string | null;
}

/** A lock that is held; it moves along when the folder is renamed. */
export interface FolderLock {
  /** To be told when the folder has been renamed. */
  readonly movedTo: (folder: string) => void;
  readonly release: () => void;
}

const NAME = 'entitygate.lock';

/** How old a lock file without legible content has to be before its writer is taken for dead, in milliseconds. */
const WRITING = 2000;

/** The lock files of this process, so that an abrupt exit can still remove them. */
const held = new Set<string>();

process.on('exit', () => held.forEach(remove));

/**
 * Locks a folder for this process: the embedded database would be damaged by a second one. A lock whose process is gone is
 * taken over.
 * @returns a sentence about who works on the folder, when it is not this process
 * @throws StartupError where something else than a file has the lock's place, else what the operating system says
 */
export async function lockFolder(folder: string): Promise<FolderLock | string> {
  let path = join(folder, NAME);
  const self: Holder = {
    pid: process.pid,
    host: hostname(),
    started: startOf(process.pid),
  };
  while (!(await create(path, JSON.stringify(self)))) {
    const text = readLock(path);
    // Its holder has gone since.
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
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function whoHolds(path: string, text: string): string | null {
  const holder = parse(text);
  if (holder === null) {
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    return age < WRITING ? 'Another process is starting on it.' : null;
  }
  if (holder.host !== hostname()) {
    return (
      `Process ${holder.pid} on the machine or container ${holder.host} works on it. ` +
      `If that one is gone, remove ${path}.`
    );
  }
  const alive =
    holder.pid === process.pid
      ? held.has(path)
      : isAlive(holder.pid) && (holder.started === null || holder.started === startOf(holder.pid));
  return alive ? `Process ${holder.pid} works on it: stop that one first.` : null;
}

/**
 * Removes the lock of a dead process. It is moved aside first: had another process taken it over in the meantime, what
 * was moved is that one's lock, and goes back.
 */
async function takeAway(path: string, stale: string): Promise<void> {
  const aside = `${path}.${process.pid}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if (readLock(aside) === stale) await unlink(aside);
  else await rename(aside, path);
}

function parse(text: string): Holder | null {
  try {
    const holder = JSON.parse(text) as Partial<Holder> | null;
    const { pid, host, started } = holder ?? {};
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
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** When a process started, in the kernel's own count; null where there is no /proc to say so. */
function startOf(pid: number): string | null {
  // The second field is the program's name in parentheses, which may hold anything.
  const stat = readIfAny(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
}

/** The text of a lock, or null where there is none. */
function readLock(path: string): string | null {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  if (!stats.isFile()) {
    const message = `${displayPath(path)} is not a file, and the lock of the embedded database is one: remove it`;
    throw new StartupError([{ where: 'database.directory', message }]);
  }
  return readIfAny(path);
}

function readIfAny(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes(String((error as NodeJS.ErrnoException).code))) return null;
    throw error;
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Someone else cleared it away: the folder is free either way.
  }
}

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
