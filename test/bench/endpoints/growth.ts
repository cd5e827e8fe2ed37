/** How the cost of a request grows: gateways and requests that differ in one thing, in turns. */
import pg from 'pg';
import { median, spread, time } from '../timing.ts';
import { ask } from './compare.ts';
import type { Plan } from './run.ts';
import type { Config } from '../../../src/config/config.ts';
import { runCount, type Sent } from './load.ts';
import { mappings } from './mappings.ts';
import { alternate } from './measure.ts';
import type { Side } from './process.ts';
import { seeded } from './random.ts';
import { KEYS, roleSettings } from './roles.ts';
import { startGatewaySide, type GatewayOptions } from './sides.ts';
import { figure } from './statistics.ts';

/** How many tables there are of those that only have to be mapped. */
export const MANY = 500;
const FEW = 10;

/** A row of the table: what was done, and what it came to. */
export type GrowthRow = readonly [what: string, figures: string];

/** A request that is compared with others, to a gateway. */
interface Variant {
  readonly name: string;
  readonly side: Side;
  readonly path: (skip: number) => string;
  readonly key?: string;
}

const CONNECTIONS = 8;

/** Tables of eight columns with a relation each, as a legacy schema has hundreds. */
async function makeTables(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (let table = 1; table <= MANY; table += 1) {
      const before = table === 1 ? 'company' : `t${table - 1}`;
      await client.query(
        `CREATE TABLE app.t${table} (id int PRIMARY KEY, a text, b int, c numeric(12,2), d date, e boolean,` +
          ` before_id int CONSTRAINT fk_t${table} REFERENCES app.${before} (id), ver int NOT NULL)`,
      );
    }
    await client.query(
      "INSERT INTO app.t1 SELECT n, 'Text', n, n, now(), true, 1, 1 FROM generate_series(1, 200) n",
    );
  } finally {
    await client.end();
  }
}

/** The mapping files of the first of these tables, beside those of the measured data. */
function manyMappings(count: number): Readonly<Record<string, string>> {
  const more = Array.from({ length: count }, (_, index) => {
    const to = index === 0 ? 'Company' : `T${index}`;
    const text = `dataclass: T${index + 1}\ntable: app.t${index + 1}\nstamp: { counter: ver }\nattributes:\n  id: id\n  a: a\n  b: b\n  c: c\n  d: d\n  e: e\nrelations:\n  before: { to: ${to}, foreignKey: fk_t${index + 1} }\n`;
    return [`t${index + 1}.yaml`, text] as const;
  });
  return { ...mappings, ...Object.fromEntries(more) };
}

/** Measures variants in turns. @returns a row of each, as many answers in a second and what each costs the processor */
async function compared(variants: readonly Variant[], plan: Plan): Promise<GrowthRow[]> {
  const figures = await alternate(
    variants.map(({ side, path, key }) => ({
      side,
      requests: (seed) => {
        const random = seeded(seed);
        const headers = key === undefined ? {} : { 'api-key': key };
        return () => ({ path: path(random.below(1000)), headers });
      },
    })),
    CONNECTIONS,
    plan,
  );
  return variants.map(({ name }, index) => {
    const rounds = figures[index] ?? [];
    const perSecond = spread(
      rounds.map((round) => round.perSecond),
      0,
    );
    const cpu = figure(median(rounds.map((round) => round.cpuPerRequest)));
    return [name, `${perSecond} requests/s, ${cpu} ms of the processor each`];
  });
}

/** How long a gateway takes from its start to its first answer, and its memory then. */
async function starts(
  folder: string,
  database: Config['database'],
  options: GatewayOptions,
): Promise<{ readonly milliseconds: number; readonly memory: number }> {
  let side: Side | undefined;
  const milliseconds = await time(async () => {
    side = await startGatewaySide(folder, database, options);
    await ask(side.port, { path: '/rest/T1(1)' });
  });
  const memory = (await side?.usage())?.memory ?? Number.NaN;
  await side?.stop();
  return { milliseconds, memory: memory / 1e6 };
}

/** Sends requests of as many shapes: each time other columns, and another comparison. @returns the memory before and after */
async function shapes(side: Side, count: number): Promise<GrowthRow> {
  const before = (await side.usage()).memory / 1e6;
  const column = (index: number): string => `c${String(1 + (index % 38)).padStart(2, '0')}`;
  let sent = 0;
  const next = (): Sent => {
    const shape = sent++;
    const [a, b, c] = [shape, Math.floor(shape / 38), Math.floor(shape / 1444)].map(column);
    const size = Math.floor(shape / 54_872);
    const filter = encodeURIComponent(`"id = :1${' OR id = :1'.repeat(size)}"`);
    return {
      path: `/rest/Wide?$attributes=${a},${b},${c}&$filter=${filter}&$params=[${1 + (shape % 20_000)}]&$top=1`,
    };
  };
  await runCount(side.port, CONNECTIONS, count, next);
  const { memory, heap } = await side.usage();
  return [
    `memory after ${count.toLocaleString('en-US')} shapes of requests`,
    `${figure(before)} MB before, ${figure(memory / 1e6)} MB after, ${figure(heap / 1e6)} MB of it JavaScript's heap`,
  ];
}

/**
 * Measures on PostgreSQL how cost grows with rows, columns, relations, dataclasses and roles, what a start takes, and what many shapes of requests leave.
 * @param shapeCount how many shapes
 */
export async function measureGrowth(
  folder: string,
  database: Config['database'],
  plan: Plan,
  shapeCount: number,
): Promise<readonly GrowthRow[]> {
  if (database.engine !== 'postgres') return [];
  await makeTables(database.url);
  const started: Side[] = [];
  const start = async (options: GatewayOptions): Promise<Side> => {
    const side = await startGatewaySide(folder, database, options);
    started.push(side);
    return side;
  };
  const rows: GrowthRow[] = [];
  const few = { name: 'few', files: manyMappings(FEW) };
  const many = { name: 'many', files: manyMappings(MANY) };
  try {
    const times = { few: [] as number[], many: [] as number[] };
    const memories = { few: [] as number[], many: [] as number[] };
    for (let turn = 0; turn < 3; turn += 1) {
      for (const options of [few, many]) {
        const { milliseconds, memory } = await starts(folder, database, options);
        times[options.name as 'few'].push(milliseconds);
        memories[options.name as 'few'].push(memory);
      }
    }
    for (const [name, count] of [
      ['few', FEW],
      ['many', MANY],
    ] as const) {
      rows.push([
        `start to first answer, ${count} tables mapped besides`,
        `${spread(times[name], 0)} ms, then ${spread(memories[name], 0)} MB`,
      ]);
    }
    const side = await start({ name: 'plain' });
    const sized = [10, 100, 500].map((top) => ({
      name: `page of ${top} rows`,
      side,
      path: (skip: number) => `/rest/Employee?$skip=${skip}&$top=${top}`,
    }));
    rows.push(...(await compared(sized, plan)));
    const wide = [
      { name: 'page of 100, 8 columns', columns: 'id,c01,c02,c03,c04,c05,c06,c07' },
      { name: 'page of 100, 40 columns', columns: '' },
    ].map(({ name, columns }) => ({
      name,
      side,
      path: (skip: number) =>
        `/rest/Wide?$skip=${skip}&$top=100${columns === '' ? '' : `&$attributes=${columns}`}`,
    }));
    rows.push(...(await compared(wide, plan)));
    const expands = ['', 'employee', 'employee.company', 'employee.company,employee.lines'];
    const expanded = expands.map((expand, index) => ({
      name: `page of 100, ${index} relations expanded`,
      side,
      path: (skip: number) =>
        `/rest/OrderLine?$skip=${skip}&$top=100${expand === '' ? '' : `&$expand=${expand}`}`,
    }));
    rows.push(...(await compared(expanded, plan)));
    const byTables = [await start(few), await start(many)].map((one, index) => ({
      name: `page of 100 of a table, ${[FEW, MANY][index] ?? 0} tables mapped besides`,
      side: one,
      path: () => '/rest/T1?$top=100',
    }));
    rows.push(...(await compared(byTables, plan)));
    const byRoles: Variant[] = [];
    for (const roles of [1, 50]) {
      const roleSide = await start({ name: `roles-${roles}`, settings: roleSettings(roles) });
      byRoles.push({
        name: `page of 100 by a role, 1 of ${roles}`,
        side: roleSide,
        path: (skip) => `/rest/Employee?$skip=${skip % 300}&$top=100`,
        ...(KEYS[0] === undefined ? {} : { key: KEYS[0].key }),
      });
    }
    rows.push(...(await compared(byRoles, plan)));
    if (shapeCount > 0) rows.push(await shapes(await start({ name: 'shapes' }), shapeCount));
  } finally {
    for (const one of started) await one.stop();
  }
  return rows;
}
