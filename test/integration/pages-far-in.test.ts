import { expect, test } from 'vitest';
import { onEngines, type Served } from './shapes/engines.ts';
import { far, farOnPostgres } from './shapes/far.ts';

/** Places that pages begin at: ahead of where it is worth looking for their first row, from there on, and behind the last row. */
const PLACES = [0, 1, 199, 200, 201, 397, 599, 600, 5000];
const TOP = 37;

interface Page {
  readonly __COUNT: number;
  readonly __ENTITIES: readonly unknown[];
}

async function page({ gateway }: Served, path: string): Promise<Page> {
  const { status, body } = await gateway.get(`/rest/${path}`);
  expect([path, status, status === 200 ? '' : body]).toEqual([path, 200, '']);
  return body as Page;
}

/** Compares pages with the parts of one that has all entities. @returns how many looked for their first row by its key */
async function sought(served: Served, path: string, count: number): Promise<number> {
  const all = (await page(served, `${path}$top=700`)).__ENTITIES;
  expect(all).toHaveLength(count);
  served.gateway.takeStatements();
  for (const place of PLACES) {
    const { __COUNT, __ENTITIES } = await page(served, `${path}$skip=${place}&$top=${TOP}`);
    expect([place, __COUNT, __ENTITIES]).toEqual([place, count, all.slice(place, place + TOP)]);
  }
  return served.gateway.takeStatements().filter((text) => text.includes(' >= (SELECT')).length;
}

/** How many of {@link PLACES} are far in. */
const FAR = 6;

onEngines('pages far in', far, (served) => {
  test.each(['Item', 'Pair'])('of %s are those that stand there', async (dataclass) => {
    const expected = served.isSqlServer ? 0 : FAR;
    expect(await sought(served, `${dataclass}?`, 600)).toBe(expected);
  });
});

onEngines('pages far in of tables of PostgreSQL', farOnPostgres, (served) => {
  test.each([
    ['Word?', 600, FAR],
    ['Padded?', 600, FAR],
    ['Uid?', 600, FAR],
    ['Pair?', 600, FAR],
    ['Spot?', 600, FAR],
    ['Item?$expand=owner&', 600, FAR],
    ['Item?$attributes=v,owner.name&', 600, FAR],
    ['Item?$orderby="id"&', 600, FAR],
    // No index has its columns in this order.
    ['Turned?', 600, 0],
    // What inherits from a table may have keys of its rows once more.
    ['Entry?', 600, 0],
    // An index may tell values apart that are equal to its column.
    ['Code?', 600, 0],
    // Compared as another type than the index has.
    ['Price?', 600, 0],
    ['Shown?', 600, 0],
    ['Some?', 590, 0],
    ['Item?$filter="id>30"&', 590, 0],
    ['Item?$orderby="id desc"&', 600, 0],
    ['Item?$orderby="v"&', 600, 0],
  ])('%s are those that stand there', async (path, count, expected) => {
    expect(await sought(served, path, count)).toBe(expected);
  });

  test('a page of nothing that begins far in is counted', async () => {
    expect(await page(served, 'Item?$skip=300&$top=0')).toMatchObject({ __COUNT: 600, __SENT: 0 });
  });

  test('and $querypath tells of the statement that was run', async () => {
    served.gateway.takeStatements();
    const body = (await page(served, 'Item?$skip=300&$top=5&$querypath=true')) as unknown as {
      readonly __queryPath: unknown;
    };
    const [text] = served.gateway.takeStatements();
    expect(text).toContain(' >= (SELECT');
    expect(JSON.stringify(body.__queryPath)).toContain('"recordsfounds":5');
  });
});
