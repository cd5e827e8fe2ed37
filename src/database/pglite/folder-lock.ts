import { lstatSync, readFileSync, statSync, unlinkSync } from 'node:fs';
import { rename, unlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { StartupError } from '../../base/errors.ts';
import { displayPath } from '../../config/document/text-file.ts';

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
