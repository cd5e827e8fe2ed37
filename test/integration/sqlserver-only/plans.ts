import { expect, test } from 'vitest';
import { mapped, type Served } from '../shapes/engines.ts';
import { onSqlServer } from './product.ts';
import type { Command } from '../../../src/database/database.ts';
import { gatewayContext } from '../../../src/base/observe/observer.ts';
import type { Gateway } from '../../targets/gateway.ts';

/** How a plan comes to the rows of a table. */
interface Access {
  readonly operator: 'Scan' | 'Seek';
  readonly table: string;
  /** None where the table is a heap. */
  readonly index: string | null;
}

/**
 * The actual plan of a command: it is run once more, with its values.
 * https://learn.microsoft.com/sql/t-sql/statements/set-statistics-xml-transact-sql: set at run time, it need not be alone in its batch,
 * and the plan of each statement comes behind what the statement answers
 */
async function actualPlan(
  { database }: Pick<Gateway, 'database'>,
  { statement, values }: Command,
): Promise<readonly Access[]> {
  const text = `SET STATISTICS XML ON; ${statement.text}`;
  // Of a write the last result set is answered.
  const explained = { ...statement, name: `explain ${statement.name}`, text, effect: 'write' };
  const { rows } = await database.run(
    { statement: explained as Command['statement'], values },
    gatewayContext,
  );
  const plan = String(rows[0]?.[0]);
  if (!plan.includes('<ShowPlanXML')) throw new Error(`no plan came: ${plan.slice(0, 200)}`);
  return accesses(plan);
}

/**
 * Reads the operators that go to tables, in the order of the plan; what goes to table variables is left out.
 * https://learn.microsoft.com/sql/relational-databases/showplan-logical-and-physical-operators-reference
 */
function accesses(plan: string): Access[] {
  const operators =
    /<RelOp [^>]*PhysicalOp="(?:Table|Index|Clustered Index) (Scan|Seek)"[^>]*>[\s\S]*?<Object ([^>]*)>/g;
  return [...plan.matchAll(operators)].flatMap(([, operator, object = '']) => {
    const table = attribute(object, 'Table');
    if (table === null || /^[@#]/.test(table)) return [];
    return [
      {
        operator: operator === 'Seek' ? 'Seek' : 'Scan',
        table,
        index: attribute(object, 'Index'),
      } as const,
    ];
  });
}

/** An attribute of an Object, whose names are in brackets. */
function attribute(object: string, name: string): string | null {
  return new RegExp(`\\b${name}="\\[([^"]*)\\]"`).exec(object)?.[1] ?? null;
}

const OWNERS = 2000;
const ITEMS = 20_000;

/** Rows `n` from 0 on. */
const numbers = (count: number): string =>
  `WITH d AS (SELECT n FROM (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) v(n)),
    numbered AS (SELECT a.n + 10 * b.n + 100 * c.n + 1000 * e.n + 10000 * f.n AS n FROM d a, d b, d c, d e, (VALUES (0), (1)) f(n)),
    counted AS (SELECT n FROM numbered WHERE n < ${count})`;

/** The plans of what a request runs, one of each statement. */
async function plansOf({ gateway }: Served, path: string): Promise<(readonly Access[])[]> {
  gateway.takeCalls();
  const { status, text } = await gateway.get(`/rest/${path}`);
  expect([path, status, status === 200 ? '' : text]).toEqual([path, 200, '']);
  const plans: (readonly Access[])[] = [];
  for (const call of gateway.takeCalls()) plans.push(await actualPlan(gateway, call));
  return plans;
}

/** The indexes by which a plan seeks in a table, and what it scans, which is nothing where an index serves. */
function waysTo(table: string, plans: readonly (readonly Access[])[]): object {
  const all = plans.flat().filter((access) => access.table === table);
  return {
    scans: all.filter(({ operator }) => operator === 'Scan'),
    seeks: [
      ...new Set(all.flatMap(({ operator, index }) => (operator === 'Seek' ? [index] : []))),
    ].sort(),
  };
}

/** The rows that a seek finds are fetched from the table by its key, but for what the index has itself. */
const seeking = (index: string): object => ({
  scans: [],
  seeks: expect.arrayContaining([index]) as string[],
});

onSqlServer(
  'plans',
  {
    sqlserver: [
      'CREATE SCHEMA app',
      'CREATE TABLE app.owner (id int NOT NULL CONSTRAINT owner_key PRIMARY KEY, name nvarchar(40) NOT NULL, version rowversion NOT NULL)',
      `${numbers(OWNERS)} INSERT INTO app.owner (id, name) SELECT n, CONCAT(N'Owner ', n) FROM counted`,
      `CREATE TABLE app.item (id int NOT NULL CONSTRAINT item_key PRIMARY KEY,
        owner_id int NOT NULL CONSTRAINT item_owner_key REFERENCES app.owner (id), code nvarchar(20) NULL,
        fine datetime2(3) NOT NULL, coarse datetime NOT NULL, day date NOT NULL, filler nchar(200) NOT NULL, version rowversion NOT NULL)`,
      `${numbers(ITEMS)} INSERT INTO app.item (id, owner_id, code, fine, coarse, day, filler) SELECT n, n % ${OWNERS},
        CASE WHEN n % 4000 > 0 THEN CONCAT(N'C', n) END, DATEADD(MINUTE, n, '2020-01-01'), DATEADD(MINUTE, n, '2020-01-01'),
        DATEADD(DAY, n, '1990-01-01'), N'' FROM counted`,
      'CREATE INDEX item_owner ON app.item (owner_id)',
      'CREATE INDEX item_code ON app.item (code)',
      'CREATE INDEX item_fine ON app.item (fine)',
      'CREATE INDEX item_coarse ON app.item (coarse)',
      'CREATE INDEX item_day ON app.item (day)',
    ],
    mappings: mapped(`
owner: {dataclass: Owner, table: app.owner, attributes: {id: id, name: name}, relations: {items: {inverse: Item.owner}}}
item: {dataclass: Item, table: app.item, attributes: {id: id, code: code, fine: fine, coarse: coarse, day: day}, relations: {owner: {to: Owner,
  foreignKey: item_owner_key}}}
`),
  },
  (served) => {
    test('what is related to the entities of a page is sought', async () => {
      const path = 'Owner?$filter="id >= 100 AND id < 150"&$expand=items';
      expect(waysTo('item', await plansOf(served, path))).toEqual(seeking('item_owner'));
      expect(waysTo('item', await plansOf(served, 'Owner(42)/items'))).toEqual(
        seeking('item_owner'),
      );
    });

    test('500 values and null are sought', async () => {
      const codes = Array.from({ length: 500 }, (_, index) => `C${index * 30 + 1}`);
      const params = encodeURIComponent(JSON.stringify([[...codes, null]]));
      const path = `Item?$filter="code IN :1"&$params='${params}'&$top=600`;
      expect(await served.get(path)).toMatchObject([200, { __COUNT: 505 }]);
      expect(waysTo('item', await plansOf(served, path))).toEqual(seeking('item_code'));
    });

    const filters = [
      ['fine = 2020-01-01T00:42:00Z', 'item_fine'],
      ['fine IN [2020-01-01T00:42:00Z, 2020-01-01T00:43:00Z]', 'item_fine'],
      ['fine >= 2020-01-01T00:42:00Z AND fine < 2020-01-01T00:52:00Z', 'item_fine'],
      ['coarse = 2020-01-01T00:42:00Z', 'item_coarse'],
      ['coarse IN [2020-01-01T00:42:00Z, 2020-01-01T00:43:00Z]', 'item_coarse'],
      ['coarse >= 2020-01-01T00:42:00Z AND coarse < 2020-01-01T00:52:00Z', 'item_coarse'],
      ['day = 1990-02-03', 'item_day'],
      ['day >= 1990-02-03 AND day < 1990-02-13', 'item_day'],
    ] as const;
    test.each(filters)('%s is sought', async (filter, index) => {
      expect(waysTo('item', await plansOf(served, `Item?$filter="${filter}"`))).toEqual(
        seeking(index),
      );
    });
  },
);
