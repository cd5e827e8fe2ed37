import { expect, test } from 'vitest';
import { mapped, onEngines, type Served, type Shape } from './shapes/engines.ts';
import { inBothLanguages } from './shapes/languages.ts';

/** How many rows each table has: those of some slices of 500. */
const ROWS = 1300;

/** Makes rows so long that slices stay short. */
const PAD = 2100;

const TEN = '(VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9))';

/** Tables whose keys and indexes pages begin by. */
const tables = inBothLanguages(
  [
    'CREATE SCHEMA long',
    'CREATE TABLE long.item (id int PRIMARY KEY, a int NULL, b varchar(20) NULL, pad varchar(4000) NOT NULL, v int NOT NULL)',
    'CREATE TABLE long.part (id int PRIMARY KEY, item_id int NOT NULL CONSTRAINT part_item_id_fkey REFERENCES long.item (id))',
    'CREATE TABLE long.pair (a int, b varchar(10), pad varchar(4000) NOT NULL, v int NOT NULL, PRIMARY KEY (a, b))',
    'CREATE TABLE long.word (code WORD_TYPE PRIMARY KEY, v int NOT NULL)',
    'CREATE TABLE long.padded (code char(8) PRIMARY KEY, v int NOT NULL)',
    'CREATE TABLE long.uid (u UUID_TYPE PRIMARY KEY, v int NOT NULL)',
    'CREATE TABLE long.day (d date, n int, v int NOT NULL, PRIMARY KEY (d, n))',
    'CREATE TABLE long.moment (t TIME_TYPE PRIMARY KEY, v int NOT NULL)',
    'CREATE UNIQUE INDEX item_a ON long.item (a, id)',
    'CREATE UNIQUE INDEX item_b ON long.item (b, a, id)',
    'CREATE UNIQUE INDEX item_v ON long.item (v, id)',
    "INSERT INTO long.item SELECT x.n * 3, NULLIF(x.n % 9, 0), CASE WHEN x.n % 5 > 0 THEN CONCAT('b', x.n % 400) END, LONG_PAD, x.n FROM SOME_NUMBERS",
    'INSERT INTO long.part SELECT x.n, 3 * (x.n % 40 + 1) FROM SOME_NUMBERS AND x.n <= 200',
    "INSERT INTO long.pair SELECT x.n / 550, CONCAT('b', x.n), LONG_PAD, x.n FROM SOME_NUMBERS",
    "INSERT INTO long.word SELECT CONCAT(CASE x.n % 4 WHEN 0 THEN A_UMLAUT WHEN 1 THEN 'A' WHEN 2 THEN 'a' ELSE '-' END, x.n * 7919 % 10007), x.n FROM SOME_NUMBERS",
    "INSERT INTO long.padded SELECT CONCAT('c', x.n), x.n FROM SOME_NUMBERS",
    'INSERT INTO long.uid SELECT ANY_UUID, x.n FROM SOME_NUMBERS',
    'INSERT INTO long.day SELECT NTH_DAY, x.n, x.n FROM SOME_NUMBERS',
    'INSERT INTO long.moment SELECT NTH_HOUR, x.n FROM SOME_NUMBERS',
  ],
  {
    WORD_TYPE: ['varchar(20)', 'nvarchar(20)'],
    TIME_TYPE: ['timestamp', 'datetime2'],
    LONG_PAD: [`repeat('x', ${PAD})`, `REPLICATE('x', ${PAD})`],
    A_UMLAUT: ["'ä'", "N'ä'"],
    ANY_UUID: ['md5(x.n::text)::uuid', 'NEWID()'],
    NTH_DAY: ["DATE '1999-12-01' + x.n / 30", "DATEADD(day, x.n / 30, '1999-12-01')"],
    NTH_HOUR: [
      "TIMESTAMP '1999-12-01' + x.n * INTERVAL '1 hour'",
      "DATEADD(hour, x.n, '1999-12-01')",
    ],
    SOME_NUMBERS: [
      `generate_series(1, ${ROWS}) x(n) WHERE true`,
      `(SELECT 1 + a.d + b.d * 10 + c.d * 100 + d.d * 1000 AS n
        FROM ${TEN} a(d) CROSS JOIN ${TEN} b(d) CROSS JOIN ${TEN} c(d) CROSS JOIN ${TEN} d(d)) x WHERE x.n <= ${ROWS}`,
    ],
  },
);

/** Of each table a dataclass that is named like it. */
const longPages: Shape = {
  ...tables,
  mappings: mapped(`
item: {dataclass: Item, table: long.item, key: [id], stamp: hash, relations: {parts: {inverse: Part.item}}}
part: {dataclass: Part, table: long.part, key: [id], stamp: hash, relations: {item: {to: Item, foreignKey: part_item_id_fkey}}}
pair: {dataclass: Pair, table: long.pair, key: [a, b], stamp: hash}
word: {dataclass: Word, table: long.word, key: [code], stamp: hash}
padded: {dataclass: Padded, table: long.padded, key: [code], stamp: hash}
uid: {dataclass: Uid, table: long.uid, key: [u], stamp: hash}
day: {dataclass: Day, table: long.day, key: [d, n], stamp: hash}
moment: {dataclass: Moment, table: long.moment, key: [t], stamp: hash}
`),
};

/** Tables of 600 rows with keys as PostgreSQL alone has them. */
const farTables = `
CREATE SCHEMA far;
SET search_path TO far;
CREATE TABLE owner (id int PRIMARY KEY, name text NOT NULL);
INSERT INTO owner SELECT n, 'Owner ' || n FROM generate_series(1, 50) n;
CREATE TABLE item (id int PRIMARY KEY, owner_id int REFERENCES owner, v text);
INSERT INTO item SELECT n * 3, nullif(n % 51, 0), 'v' || n FROM generate_series(1, 600) n;
CREATE TABLE word (code varchar(20) PRIMARY KEY, v int);
INSERT INTO word SELECT CASE n % 4 WHEN 0 THEN 'ä' WHEN 1 THEN 'A' WHEN 2 THEN 'a' ELSE ' ' END || md5(n::text)::varchar(8), n FROM generate_series(1, 600) n;
CREATE TABLE uid (u uuid PRIMARY KEY, v int);
INSERT INTO uid SELECT md5(n::text)::uuid, n FROM generate_series(1, 600) n;
CREATE TABLE pair (b varchar(10), a int, v int, PRIMARY KEY (a, b));
INSERT INTO pair SELECT 'b' || n % 7, n / 7, n FROM generate_series(1, 600) n;
CREATE TABLE spot (id int, k int, v int, PRIMARY KEY (id, k)) PARTITION BY RANGE (k);
CREATE TABLE spot_1 PARTITION OF spot FOR VALUES FROM (0) TO (5);
CREATE TABLE spot_2 PARTITION OF spot FOR VALUES FROM (5) TO (10);
INSERT INTO spot SELECT n / 3, n % 10, n FROM generate_series(1, 600) n;
CREATE TABLE entry (id int PRIMARY KEY, v int);
CREATE TABLE entry_old () INHERITS (entry);
INSERT INTO entry SELECT n, n FROM generate_series(1, 300) n;
INSERT INTO entry_old SELECT n + 300, n FROM generate_series(1, 300) n;
CREATE TABLE code (c varchar(20) NOT NULL, v int);
CREATE UNIQUE INDEX code_c ON code (c COLLATE "C");
INSERT INTO code SELECT 'c' || n, n FROM generate_series(1, 600) n;
CREATE TABLE price (m money PRIMARY KEY, v int);
INSERT INTO price SELECT n::money, n FROM generate_series(1, 600) n;
CREATE VIEW shown AS SELECT id, v FROM item;
ANALYZE;
`;

/** Of each table a dataclass that is named like it, and some more. */
const farOnPostgres: Shape = {
  postgres: farTables,
  sqlserver: [],
  mappings: mapped(`
owner: {dataclass: Owner, table: far.owner, key: [id], stamp: hash}
item: {dataclass: Item, table: far.item, key: [id], stamp: hash, relations: {owner: {to: Owner, foreignKey: item_owner_id_fkey}}}
word: {dataclass: Word, table: far.word, key: [code], stamp: hash}
uid: {dataclass: Uid, table: far.uid, key: [u], stamp: hash}
pair: {dataclass: Pair, table: far.pair, key: [a, b], stamp: hash}
turned: {dataclass: Turned, table: far.pair, key: [b, a], stamp: hash}
spot: {dataclass: Spot, table: far.spot, key: [id, k], stamp: hash}
entry: {dataclass: Entry, table: far.entry, children: true, stamp: hash}
code: {dataclass: Code, table: far.code, key: [c], stamp: hash}
price: {dataclass: Price, table: far.price, key: [m], stamp: hash}
shown: {dataclass: Shown, view: far.shown, key: [id], stamp: hash}
some: {dataclass: Some, table: far.item, key: [id], stamp: hash, where: id > 30}
`),
};

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
  ...['Item?', 'Item?$orderby="id desc"', 'Item?$orderby=v', 'Item?$orderby="v desc, id desc"'],
  ...['Item?$filter="a=1"', 'Pair?', 'Pair?$orderby="a desc, b desc"', 'Padded?', 'Uid?'],
  ...['Word?', 'Word?$orderby="code desc"', 'Day?', 'Day?$orderby="d desc, n desc"'],
];

/** In the order of an index where those have nulls first. */
const WITH_NULLS = ['Item?$orderby="a desc, id desc"', 'Item?$orderby="b, a"'];

const IN_OTHER_ORDER = [
  'Item?$orderby=pad',
  'Item?$orderby="b desc, a"',
  'Pair?$orderby="b, a"',
  'Moment?',
];

/** Places that pages begin at: ahead of where it is worth looking for their first row, from there on, and behind the last row. */
const placesOf = (count: number): number[] => [0, 1, 199, 200, 201, 397, count - 1, count, 5000];
const TOP = 37;

/** Compares pages with the parts of one that has all entities. @returns how many looked for their first row by its key */
async function sought(served: Served, path: string, count: number): Promise<number> {
  const all = (await read(served, `${path}$top=5000`)).__ENTITIES;
  expect(all).toHaveLength(count);
  served.gateway.takeStatements();
  for (const place of placesOf(count)) {
    const { __COUNT, __ENTITIES } = await read(served, `${path}$skip=${place}&$top=${TOP}`);
    expect([place, __COUNT, __ENTITIES]).toEqual([place, count, all.slice(place, place + TOP)]);
  }
  return served.gateway.takeStatements().filter((text) => text.includes(' >= (SELECT')).length;
}

/** How many of {@link placesOf} are far in. */
const FAR = 6;

onEngines('a page', longPages, (served) => {
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

  test.each([1000, 1100, ROWS, ROWS + 1])('of at most %i', async (top) => {
    const { __COUNT, __SENT, __ENTITIES } = await read(served, `Pair?$top=${top}`);
    const sent = Math.min(top, ROWS);
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

  test.each(['Item', 'Pair'])('exports of %s are the entities of its pages', async (dataclass) => {
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

  test.each(['Item', 'Pair'])('far in of %s has what stands there', async (dataclass) => {
    expect(await sought(served, `${dataclass}?`, ROWS)).toBe(served.isSqlServer ? 0 : FAR);
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

onEngines('pages far in of tables of PostgreSQL', farOnPostgres, (served) => {
  test.each([
    ['Word?', 600, FAR],
    ['Uid?', 600, FAR],
    ['Pair?', 600, FAR],
    ['Spot?', 600, FAR],
    ['Item?$expand=owner&', 600, FAR],
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
  ])('%s are those that stand there', async (path, count, expected) => {
    expect(await sought(served, path, count)).toBe(expected);
  });

  test('a page of nothing that begins far in is counted', async () => {
    expect(await read(served, 'Item?$skip=300&$top=0')).toMatchObject({ __COUNT: 600, __SENT: 0 });
  });

  test('and $querypath tells of the statement that was run', async () => {
    served.gateway.takeStatements();
    const body = (await read(served, 'Item?$skip=300&$top=5&$querypath=true')) as unknown as {
      readonly __queryPath: unknown;
    };
    const [text] = served.gateway.takeStatements();
    expect(text).toContain(' >= (SELECT');
    expect(JSON.stringify(body.__queryPath)).toContain('"recordsfounds":5');
  });
});
