import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { read, tableRows } from './markdown.ts';

type ByRoom = Readonly<Record<string, readonly string[]>>;

/** What each folder of src/ may import, and the packages that it alone knows, as the lint rules have it. */
async function linted(): Promise<Readonly<Record<'rooms' | 'packages', ByRoom>>> {
  const { href } = new URL('../../rooms.js', import.meta.url);
  return (await import(href)) as Record<'rooms' | 'packages', ByRoom>;
}

test('the guide to the inside says of each folder what it may import, in the order of the pipeline', async () => {
  const rows = tableRows(read('src/README.md')).map(({ cells }) => cells);
  const documented = rows.flatMap(([folder = '', , others = '']) => {
    const room = /^`([\w/-]+)\/`$/.exec(folder)?.[1];
    return room === undefined ? [] : [[room, others === '' ? [] : others.split(', ')]];
  });
  const { rooms } = await linted();
  expect(documented).toEqual(Object.entries(rooms));
});

test('the packages that one room alone knows are there, and the room as well', async () => {
  const manifest = JSON.parse(read('package.json')) as Record<
    'dependencies' | 'devDependencies',
    Readonly<Record<string, string>>
  >;
  const installed = { ...manifest.dependencies, ...manifest.devDependencies };
  const { rooms, packages } = await linted();
  expect(packages['state']).toEqual(['ioredis']);
  expect(Object.keys(rooms)).toEqual(expect.arrayContaining(Object.keys(packages)));
  expect(Object.keys(installed)).toEqual(expect.arrayContaining(Object.values(packages).flat()));
});

test('the guide to the inside names files that exist', () => {
  const named = [...read('src/README.md').matchAll(/`((?:[\w-]+\/)+(?:[\w-]+\.ts)?)`/g)].map(
    ([, path = '']) => path,
  );
  expect(named.length).toBeGreaterThan(30);
  const missing = named.filter((path) => !existsSync(`src/${path}`) && !existsSync(path));
  expect(missing).toEqual([]);
});
