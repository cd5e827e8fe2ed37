import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, symlink, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isLocked, lockFolder, type FolderLock } from '../../../src/database/pglite/folder.ts';
import { testFolder, type TestFolder } from '../../config/files.ts';

let folder: TestFolder;
let path: string;
beforeEach(async () => {
  folder = await testFolder();
  path = join(folder.path, 'entitygate.lock');
});
afterEach(() => folder.remove());

describe('what has the place of the lock and is not a file ends the start', () => {
  test.each<[what: string, make: () => unknown]>([
    ['a folder', () => mkdir(path)],
    ['a folder with something in it', () => folder.write('entitygate.lock/x', '')],
    ['a pipe', () => execFileSync('mkfifo', [path])],
    ['a link to itself', () => symlink(path, path)],
    ['a link to nothing', () => symlink('nothing', path)],
  ])('%s', async (_, make) => {
    await make();
    const message = `database.directory: ${path} is not a file, and the lock of the embedded database is one: remove it`;
    await expect(lockFolder(folder.path)).rejects.toThrow(message);
    expect(() => isLocked(folder.path)).toThrow(message);
  });
});

test('a lock that nobody wrote to the end is taken over when it is old', async () => {
  await folder.write('entitygate.lock', '{"pid":');
  expect(await lockFolder(folder.path)).toBe('Another process is starting on it.');
  await utimes(path, 0, 0);
  const lock = (await lockFolder(folder.path)) as FolderLock;
  expect(isLocked(folder.path)).toBe(true);
  lock.release();
  expect(existsSync(path)).toBe(false);
});

test.each([
  [
    { pid: 1, host: 'elsewhere', started: null },
    'Process 1 on the machine or container elsewhere works on it.',
  ],
  [
    { pid: process.ppid, host: hostname(), started: null },
    `Process ${process.ppid} works on it: stop that one first.`,
  ],
])('the lock of %j is respected', async (holder, message) => {
  await folder.write('entitygate.lock', JSON.stringify(holder));
  expect(await lockFolder(folder.path)).toContain(message);
});
