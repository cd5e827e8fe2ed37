import { mkdir, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { oneRunAtATime } from '../../../src/server/reload/reloads.ts';
import { watchFolders } from '../../../src/server/reload/watch.ts';
import { testFolder, type TestFolder } from '../../config/files.ts';

test('calls during a run share the run after it, which begins after them', async () => {
  const begun: (() => void)[] = [];
  const run = oneRunAtATime(
    () => new Promise<number>((resolve) => begun.push(() => resolve(begun.length))),
  );
  const turn = (): Promise<void> => new Promise((next) => setImmediate(next));
  const first = run();
  await turn();
  const [second, third] = [run(), run()];
  await turn();
  expect(begun).toHaveLength(1);
  begun[0]?.();
  await turn();
  expect([await first, begun.length]).toEqual([1, 2]);
  begun[1]?.();
  expect(await Promise.all([second, third])).toEqual([2, 2]);
  // One that fails leaves the next one alone.
  let count = 0;
  const failing = oneRunAtATime(() =>
    (count += 1) === 1 ? Promise.reject(new Error('first')) : Promise.resolve(count),
  );
  await expect(failing()).rejects.toThrow('first');
  expect(await failing()).toBe(2);
});

const pause = (milliseconds: number): Promise<void> =>
  new Promise((next) => setTimeout(next, milliseconds));

/** Watches a folder of files, and counts how often they would be read. @param settling how long they stay as they are before, in milliseconds */
async function watched(
  path: (folder: TestFolder) => string,
  settling = 100,
): Promise<{
  readonly folder: TestFolder;
  readonly count: () => number;
}> {
  const folder = await testFolder();
  await mkdir(join(folder.path, 'v1'));
  await mkdir(join(folder.path, 'v2'));
  await symlink('v1', join(folder.path, '..data'));
  await symlink('..data', join(folder.path, 'mappings'));
  let count = 0;
  const end = await watchFolders(
    () => [path(folder)],
    (name) => name === null || name.endsWith('.yaml') || name.startsWith('..') || name === 'v1',
    () => {
      count += 1;
      return Promise.resolve();
    },
    settling,
  );
  onTestFinished(async () => {
    end();
    await folder.remove();
  });
  return { folder, count: () => count };
}

test('several changes are one, and other files are none', async () => {
  const { folder, count } = await watched(({ path }) => join(path, 'v1'), 1000);
  await folder.write('v1/some.log', 'x');
  await pause(1500);
  expect(count()).toBe(0);
  for (const name of ['a', 'b', 'c']) await folder.write(`v1/${name}.yaml`, name);
  await folder.write('v1/new', 'x');
  await rename(join(folder.path, 'v1/new'), join(folder.path, 'v1/a.yaml'));
  await expect.poll(count).toBe(1);
  await pause(1500);
  expect(count()).toBe(1);
});

test('a link that is replaced leads to the folder that is watched from then on', async () => {
  const { folder, count } = await watched(({ path }) => join(path, 'mappings'));
  await symlink('v2', join(folder.path, '..new'));
  await rename(join(folder.path, '..new'), join(folder.path, '..data'));
  await expect.poll(count).toBeGreaterThan(0);
  await pause(300);
  const before = count();
  await folder.write('v2/a.yaml', 'x');
  await expect.poll(count).toBeGreaterThan(before);
});

test('a folder that vanishes for a moment is watched again', async () => {
  const { folder, count } = await watched(({ path }) => join(path, 'v1'));
  await rm(join(folder.path, 'v1'), { recursive: true });
  await expect.poll(count).toBeGreaterThan(0);
  const gone = count();
  await mkdir(join(folder.path, 'v1'));
  await expect.poll(count).toBeGreaterThan(gone);
  const before = count();
  await folder.write('v1/a.yaml', 'x');
  await expect.poll(count).toBeGreaterThan(before);
});
