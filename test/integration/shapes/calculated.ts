import { expect, test } from 'vitest';
import { rolesSetting } from '../../../src/config/settings/roles.ts';
import { mapped, type Served, type Shape } from './engines.ts';

const rows = [
  "INSERT INTO app.firm VALUES (1, 'Acme', 'FR'), (2, 'Béta', NULL)",
  "INSERT INTO app.worker VALUES (1, 'Ann', 'Lee', 100.10, 12, 1, NULL), (2, 'Bob', NULL, 0.05, 3, 2, 1)," +
    " (3, 'Cy', 'Ödön', NULL, 1, NULL, 1), (4, 'Di', 'Lee', 7, 0, 1, 2)",
];

const tables = (text: string, table: string): string[] => [
  `CREATE TABLE app.firm (id int NOT NULL PRIMARY KEY, name ${text} NOT NULL, land ${text} NULL)`,
  `CREATE TABLE ${table} (id int NOT NULL PRIMARY KEY, "first nm" ${text} NOT NULL, last ${text} NULL,` +
    ' pay decimal(9,2) NULL, "order" int NOT NULL, firm_id int NULL REFERENCES app.firm (id), boss_id int NULL)',
];

/** Attributes that are computed, and such as are another entity's. */
export const shape: Shape = {
  postgres: `CREATE SCHEMA app; ${[...tables('varchar(20)', 'app.worker'), ...rows].join(';\n')};`,
  sqlserver: ['CREATE SCHEMA app', ...tables('nvarchar(20)', 'app.worker'), ...rows],
  mappings: mapped(`
firm: {dataclass: Firm, table: app.firm, stamp: hash, attributes: {id: id, name: name, land: {column: land, exposed: false},
  isForeign: {sql: CASE WHEN land IS NULL THEN 0 WHEN land = 'FR' THEN 0 ELSE 1 END, type: long}}, relations: {workers: {inverse: Worker.firm}}}
worker: {dataclass: Worker, table: app.worker, stamp: hash, attributes: {id: id, fullName: {sql: {postgres: "\\"first nm\\" || ' ' || COALESCE(LAST,
  '')", tsql: "[first nm] + ' ' + COALESCE(LAST, '')"}, type: string, maxLength: 50, ignoreCase: true}, yearly: {sql: pay * 12, type: number,
  scale: 2}, share: {sql: pay / 4, type: number}, isMany: {sql: CASE WHEN "order" > 2 THEN 1 ELSE 0 END, type: bool}, next: {sql: '"order" + 1',
  type: long64}, firmName: firm.name, bossFirm: {alias: boss.firm.name}, firmIsForeign: firm.isForeign, first: first nm, last: last, pay: pay,
  order: order}, relations: {firm: {to: Firm, columns: {firm_id: id}}, boss: {to: Worker, columns: {boss_id: id}}, team: {inverse: boss}}}
`),
};

/** As {@link shape}, seen by a role that sees neither what workers are paid nor the names of firms; a name is seen all the same. */
export const byRole: Shape = {
  ...shape,
  settings: {
    roles: rolesSetting.parse({
      guest: {
        dataclasses: {
          Firm: { read: true, attributes: { name: 'hidden' } },
          Worker: {
            read: true,
            update: true,
            attributes: { pay: 'hidden', last: 'hidden', fullName: 'readOnly' },
          },
        },
      },
    }),
    authentication: { anonymous: ['guest'] },
  },
};

/** The order of the attributes in an entity, and the digits of a number. */
export function positions(served: Served): void {
  test('are answered at the place that the mapping file gives them, with the digits of their scale', async () => {
    const [, body] = await served.get('Worker(2)');
    expect(Object.keys(body as object).slice(4)).toEqual([
      ...['id', 'fullName', 'yearly', 'share', 'isMany', 'next', 'firmName', 'bossFirm'],
      ...['firmIsForeign', 'first', 'last', 'pay', 'order', 'firm', 'boss', 'team'],
    ]);
    expect((await served.gateway.get('/rest/Worker(1)?$attributes=yearly')).text).toContain(
      '"yearly":1201.20}',
    );
  });
}

/** The same of a role from which some are hidden. */
export function positionsByRole(served: Served): void {
  test('the other attributes are answered in their order', async () => {
    const [, body] = await served.get('Worker(1)');
    expect(Object.keys(body as object).slice(4)).toEqual([
      ...['id', 'fullName', 'isMany', 'next', 'firmIsForeign', 'first', 'order'],
      ...['firm', 'boss', 'team'],
    ]);
  });
}
