import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, readdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StartupError } from '../../base/errors.ts';
import { displayPath, unreadable } from '../../config/document/text-file.ts';
import { loadMappings, type MappingFolder } from '../../config/mapping.ts';
import type { Column } from '../../schema/types.ts';

/** Words of columns that programs and triggers fill in for every row, run together: `created_at`, `ModifiedDate`, `last_update`. */
const MADE = '(?:creat(?:ed?|ion)|crt|insert(?:ed)?|add(?:ed)?)';
const CHANGED = '(?:updated?|upd|modified|modify|modification|mod|changed?|chg|chng)';
const BEFORE = '(?:row|rec|record|last|lst|date|time|dt)*';
const BEHIND = '(?:at|on|by|date|dt|time|tm|datetime|ts|timestamp|utc|user|usr|name|id)*';
const LAST_CHANGE = new RegExp(`^${BEFORE}${CHANGED}${BEHIND}$`);
const FIRST = new RegExp(`^${BEFORE}${MADE}${BEHIND}$`);
const VERSION =
  /^(?:row|rec|record|lock|opt|optimistic)?(?:version|ver|versn|vers)(?:no|nr|num|number)?$/;
const ROW_ID = /^(?:row|rec|record)(?:guid|uuid)$/;
const ORDER =
  /^(?:sort|display|list)?(?:order|seq|sequence|position|pos|rank|index|idx|ordinal)(?:no|nr|num|number)?$/;

const BARE = /^(?:ts|tstamp|timestamp|usr)$/;
const TENANT = /^(?:tenant|mandant|mandt)(?:id|no|nr|key)?$/;

/** Whether a column tells of its row and of nothing that the row is about: who made it and when, its version, its place. */
export function isBookkeeping(column: Column): boolean {
  const name = joined(column);
  if (column.type.kind === 'integer' && ORDER.test(name)) return true;
  return [LAST_CHANGE, FIRST, VERSION, ROW_ID, BARE, TENANT].some((pattern) => pattern.test(name));
}

/** Whether a column holds who made its row or changed it: `created_by`, `UPD_USR_ID`. */
export function isAuthor(column: Column): boolean {
  const name = joined(column);
  return /by|user|usr/.test(name) && [LAST_CHANGE, FIRST].some((pattern) => pattern.test(name));
}

/** Whether a column holds whose of several tenants its row is. */
export function isTenant(column: Column): boolean {
  return TENANT.test(joined(column));
}

/** Whether a column holds, by name and type, the time of the last change. */
export function isLastChange(column: Column): boolean {
  return column.type.kind === 'timestamp' && LAST_CHANGE.test(joined(column));
}

/** Whether a column holds, by name and type, a number that is raised with every change. */
export function isVersion(column: Column): boolean {
  return column.type.kind === 'integer' && VERSION.test(joined(column));
}

function joined({ name }: Column): string {
  return name.replace(/[^A-Za-z0-9]/g, '').toLowerCase();
}

/** A file to be written whole. */
export interface FileToWrite {
  readonly path: string;
  readonly text: string;
  /** The permissions of a file that was not there before; what the process gives to new files, where it is left out. */
  readonly mode?: number;
}

/**
 * The mapping files of a folder; none where there is no such folder yet, or nothing in it.
 * @throws StartupError when it cannot be read, or a file in it is wrong
 */
export async function existingMappings(folder: string): Promise<MappingFolder> {
  const none = { dataclasses: [], functions: [] };
  if (!existsSync(folder)) return none;
  let names: string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    throw new StartupError([{ where: displayPath(folder), message: unreadable(error, 'folder') }]);
  }
  return names.some((name) => /\.ya?ml$/.test(name)) ? loadMappings(folder) : none;
}

/**
 * Writes files: each is written beside its place, and only once all are complete they are moved there, so that none is, unless
 * one cannot be moved that could be written. Whoever reads meanwhile finds each file as it was or as it is to be. A signal to end waits for the moving, and
 * before that nothing is left behind.
 * @throws StartupError naming the file that could not be written
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
  } finally {
    await Promise.all(staged.map(({ unfinished }) => rm(unfinished, { force: true })));
    signals.release();
  }
}

/** A file that is written and not yet in its place. */
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
    // Whose it is stays as well, where root writes what a service reads.
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
    throw new StartupError([
      { where: displayPath(path), message: `cannot be written: ${(error as Error).message}` },
    ]);
  }
}

/** Holds signals to end back until what must not be left half done is done. */
class Signals {
  caught: NodeJS.Signals | null = null;
  readonly #hold = (signal: NodeJS.Signals): void => {
    this.caught = signal;
  };

  constructor() {
    process.on('SIGINT', this.#hold).on('SIGTERM', this.#hold);
  }

  /** Lets signals through again, the one that was held back first. */
  release(): void {
    process.off('SIGINT', this.#hold).off('SIGTERM', this.#hold);
    if (this.caught !== null) process.kill(process.pid, this.caught);
  }
}
