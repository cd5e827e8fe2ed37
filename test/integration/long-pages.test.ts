import { expect, test } from 'vitest';
import { onEngines, type Served } from './shapes/engines.ts';
import { longPages, ROWS } from './shapes/long-pages.ts';

/** The most entities that one statement reads of any collection. */
const SHORT = 500;

interface Page {
  readonly __COUNT: number;
  readonly __SENT: number;
  readonly __ENTITIES: readonly unknown[];
}

async function text({ gateway }: Served, path: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${gateway.port}/rest/${path}`);
  const body = await answer.text();
  expect([path, answer.status, answer.ok ? '' : body]).toEqual([path, 200, '']);
  return body;
}

/** Reads a page. The stamp of the whole database grows with what other tests write. */
async function read(served: Served, path: string): Promise<Page> {
  const body = await text(served, path);
  return JSON.parse(body.replaceAll(/"__GlobalStamp":\d+,/g, '')) as Page;
}

/** All entities as short pages have them, each of which is one statement. */
async function shortPages(served: Served, path: string): Promise<Page> {
  const entities: unknown[] = [];
  for (;;) {
    const page = await read(served, `${path}&$skip=${entities.length}&$top=${SHORT}`);
    entities.push(...page.__ENTITIES);
    if (page.__ENTITIES.length < SHORT) {
      return { __COUNT: page.__COUNT, __SENT: entities.length, __ENTITIES: entities };
    }
  }
}

/** Whether a long page began its slices behind their last row, and did not read the keys first. */
function isSliced({ gateway }: Served): boolean {
  const texts = gateway.takeStatements();
  return !texts.some((text) => text.includes('json_array_elements') || text.includes('OPENJSON'));
}

const IN_ORDER = [
  'Item?',
  'Item?$orderby="id desc"',
  'Item?$orderby=v',
  'Item?$orderby="v desc, id desc"',
  'Item?$filter="v%3E40"',
  'Item?$filter="a=1"',
  'Pair?',
  'Pair?$orderby="a desc, b desc"',
  'Line?',
  'Line?$orderby="a desc, b desc, c desc"',
  'Word?',
  'Word?$orderby="code desc"',
  'Padded?',
  'Uid?',
  'Day?',
  'Day?$orderby="d desc, n desc"',
  'Amount?',
];

/** In the order of an index where those have nulls first. */
const WITH_NULLS = [
  'Item?$orderby=a',
  'Item?$orderby="a desc, id desc"',
  'Item?$orderby="b, a"',
  'Item?$orderby="b desc, a desc, id desc"',
];

const IN_OTHER_ORDER = [
  'Item?$orderby=pad',
  'Item?$orderby="a desc"',
  'Item?$orderby="b desc, a"',
  'Pair?$orderby="b, a"',
  'Pair?$orderby="a, b desc"',
  'Moment?',
];

onEngines('a long page', longPages, (served) => {
  /** @returns of the long page behind each place whether it was read in slices */
  const compare = async (path: string, ...skips: readonly number[]): Promise<boolean[]> => {
    const short = await shortPages(served, path);
    const sliced: boolean[] = [];
    for (const skip of skips) {
      served.gateway.takeStatements();
      const long = await read(served, `${path}&$skip=${skip}&$top=5000`);
      sliced.push(isSliced(served));
      const expected = short.__ENTITIES.slice(skip);
      expect(long).toMatchObject({ __COUNT: short.__COUNT, __SENT: expected.length });
      expect(long.__ENTITIES).toEqual(expected);
    }
    return sliced;
  };

  test.each(IN_ORDER)(
    '%s has the rows of one statement, in slices behind each other',
    async (path) => {
      expect(await compare(path, 0, 701)).toEqual([true, true]);
    },
  );

  test.each(WITH_NULLS)('%s has the rows of one statement', async (path) => {
    const { isSqlServer } = served;
    expect(await compare(path, 0, 701)).toEqual([isSqlServer, isSqlServer]);
  });

  test.each(IN_OTHER_ORDER)('%s has them by their keys', async (path) => {
    expect(await compare(path, 3)).toEqual([false]);
  });

  test.each([
    ['ends with a slice', 1000, 1000],
    ['ends within a slice', 1100, 1100],
    ['ends where the entities do', ROWS, ROWS],
    ['asks for more than there are', ROWS + 1, ROWS],
  ])('that %s', async (_, top, sent) => {
    const { __COUNT, __SENT, __ENTITIES } = await read(served, `Pair?$top=${top}`);
    expect([__COUNT, __SENT, __ENTITIES.length]).toEqual([ROWS, sent, sent]);
  });

  test('has the related entities of each slice', async () => {
    expect(await compare('Item?$expand=parts', 0)).toEqual([false]);
    const { __ENTITIES } = await read(served, 'Item?$expand=parts&$top=1000');
    const counts = (__ENTITIES as { parts: { __COUNT: number } }[]).map(
      ({ parts }) => parts.__COUNT,
    );
    expect(counts).toEqual(Array.from({ length: 1000 }, (_, index) => (index < 40 ? 5 : 0)));
  });

  test.each(['Item', 'Line'])('exports of %s are the entities of its pages', async (dataclass) => {
    const pages = await shortPages(served, `${dataclass}?`);
    const values = (entities: readonly unknown[]): number[] =>
      (entities as { v: number }[]).map(({ v }) => v);
    const expected = values(pages.__ENTITIES);
    const lines = (await text(served, `${dataclass}?$format=ndjson`)).split('\n');
    expect(lines.pop()).toBe('');
    expect(values(lines.map((line): unknown => JSON.parse(line)))).toEqual(expected);
    const table = await text(served, `${dataclass}?$format=csv&$attributes=v`);
    expect(table).toBe(['v', ...expected, ''].join('\r\n'));
    const array = JSON.parse(
      await text(served, `${dataclass}?$asArray=true&$top=5000`),
    ) as unknown[];
    expect(values(array)).toEqual(expected);
  });

  test.skipIf(served.engine === 'pglite')(
    'exported during 1,000 changes of keys has each entity that stays in its place once',
    async () => {
      const isMoved = (v: number): boolean => v % 17 === 0;
      const stays = Array.from({ length: ROWS }, (_, index) => index + 1).filter(
        (v) => !isMoved(v),
      );
      const changing = { is: true };
      const changes = (async () => {
        for (let change = 0; change < 1000; change += 1) {
          const v = 17 * ((change % 100) + 1);
          await served.run(
            `UPDATE long.pair SET a = ${change % 4}, b = 'm${change}' WHERE v = ${v}`,
          );
        }
        changing.is = false;
      })();
      let exports = 0;
      for (; changing.is; exports += 1) {
        const lines = (await text(served, 'Pair?$format=ndjson')).trimEnd().split('\n');
        const seen = lines.map((line) => (JSON.parse(line) as { v: number }).v);
        const unmoved = seen.filter((v) => !isMoved(v));
        expect(unmoved.toSorted((one, other) => one - other)).toEqual(stays);
      }
      await changes;
      expect(exports).toBeGreaterThan(1);
    },
  );
});
