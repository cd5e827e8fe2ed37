/** How the cost of a request grows: gateways and requests that differ in one thing, in turns. */
import type { Config } from '../../../../src/config/config.ts';
import { median, spread } from '../timing.ts';
import { FEW, makeTables, manyMappings, MANY } from './many-tables.ts';
import { alternate } from './measure.ts';
import { measureShapes, measureStarts, type GrowthRow } from './memory.ts';
import type { Side } from './process.ts';
import { seeded } from './random.ts';
import { roleSettings, SITE_KEYS } from './roles.ts';
import type { Plan } from './run.ts';
import { startGatewaySide, type GatewayOptions } from './sides.ts';
import { figure } from './statistics.ts';

const CONNECTIONS = 8;

/** A request that is compared with others, to a gateway. */
interface Variant {
  readonly name: string;
  readonly side: Side;
  readonly path: (skip: number) => string;
  /** The API key that goes with it. */
  readonly key?: string | undefined;
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
    return [name, `${perSecond} requests/s, ${cpu} ms of CPU`];
  });
}

/** Requests to one gateway that differ in one thing. */
function sized(side: Side): readonly Variant[][] {
  const page = (name: string, path: string, top = 100): Variant => ({
    name,
    side,
    path: (skip) => `/rest/${path}$skip=${skip}&$top=${top}`,
  });
  return [
    [10, 100, 500].map((top) => page(`page of ${top} rows`, 'Employee?', top)),
    [
      page('page of 100, 8 columns', 'Wide?$attributes=id,c01,c02,c03,c04,c05,c06,c07&'),
      page('page of 100, 40 columns', 'Wide?'),
    ],
    ['', 'employee', 'employee.company', 'employee.company,employee.lines'].map((expand, index) =>
      page(
        `page of 100, relations expanded: ${index}`,
        `OrderLine?${expand === '' ? '' : `$expand=${expand}&`}`,
      ),
    ),
  ];
}

/**
 * Measures on PostgreSQL how cost grows with rows, columns, relations, dataclasses and roles, what a start takes, and what many shapes of requests leave.
 * @param shapes how many shapes
 */
export async function measureGrowth(
  folder: string,
  database: Config['database'],
  plan: Plan,
  shapes: number,
): Promise<readonly GrowthRow[]> {
  if (database.engine !== 'postgres') return [];
  await makeTables(database.url);
  const started: Side[] = [];
  const start = async (options: GatewayOptions): Promise<Side> => {
    const side = await startGatewaySide(folder, database, options);
    started.push(side);
    return side;
  };
  try {
    const rows = await measureStarts(folder, database);
    for (const variants of sized(await start({ name: 'plain' }))) {
      rows.push(...(await compared(variants, plan)));
    }
    const byTables: Variant[] = [];
    for (const tables of [FEW, MANY]) {
      byTables.push({
        name: `page of 100 of a table, ${tables} tables mapped besides`,
        side: await start({ name: `tables-${tables}`, files: manyMappings(tables) }),
        path: () => '/rest/T1?$top=100',
      });
    }
    rows.push(...(await compared(byTables, plan)));
    const byRoles: Variant[] = [];
    for (const roles of [1, 50]) {
      byRoles.push({
        name: `page of 100 by a role, 1 of ${roles}`,
        side: await start({ name: `roles-${roles}`, settings: roleSettings(roles) }),
        path: (skip) => `/rest/Employee?$skip=${skip % 300}&$top=100`,
        key: SITE_KEYS[0]?.key,
      });
    }
    rows.push(...(await compared(byRoles, plan)));
    if (shapes > 0) rows.push(await measureShapes(await start({ name: 'shapes' }), shapes));
    return rows;
  } finally {
    for (const one of started) await one.stop();
  }
}
