import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { read, tableRows } from './markdown.ts';

/** What each folder of src/ may import, as the lint rules have it. */
async function lintedRooms(): Promise<Readonly<Record<string, readonly string[]>>> {
  const { href } = new URL('../../rooms.js', import.meta.url);
  const { rooms } = (await import(href)) as { rooms: Record<string, string[]> };
  return rooms;
}

test('the guide to the inside says of each folder what it may import, in the order of the pipeline', async () => {
  const rows = tableRows(read('src/README.md')).map(({ cells }) => cells);
  const documented = rows.flatMap(([folder = '', , others = '']) => {
    const room = /^`([\w/-]+)\/`$/.exec(folder)?.[1];
    return room === undefined ? [] : [[room, others === '' ? [] : others.split(', ')]];
  });
  expect(documented).toEqual(Object.entries(await lintedRooms()));
});

test('the guide to the inside names files that exist', () => {
  const named = [...read('src/README.md').matchAll(/`((?:[\w-]+\/)+(?:[\w-]+\.ts)?)`/g)].map(
    ([, path = '']) => path,
  );
  expect(named.length).toBeGreaterThan(30);
  const missing = named.filter((path) => !existsSync(`src/${path}`) && !existsSync(path));
  expect(missing).toEqual([]);
});
