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
  const documented = rows.flatMap(([folder = '', , , others = '']) => {
    const room = /^`([\w-]+)\/`$/.exec(folder)?.[1];
    return room === undefined ? [] : [[room, others === '' ? [] : others.split(', ')]];
  });
  expect(documented).toEqual(Object.entries(await lintedRooms()));
});
