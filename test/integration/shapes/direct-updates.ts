import { expect, test } from 'vitest';
import { COUNTED, mapped, type Served, type Shape } from './engines.ts';

const rows = (count: number, row: (n: number) => string): string =>
  Array.from({ length: count }, (_, at) => `(${row(at + 1)})`).join(', ');

/** @param yes how a boolean is written */
const tables = (text: string, flag: string, yes: string): string[] => [
  `CREATE TABLE app.plain (id int PRIMARY KEY, name ${text}(5) NOT NULL, code ${text}(5) NULL CONSTRAINT uq_code UNIQUE, price numeric(6,2) NULL, day date NULL,
    flag ${flag} NULL, note ${text.replace('var', '')}(5) NULL, coded varchar(5) NULL, up int NULL CONSTRAINT plain_up_fkey REFERENCES app.plain, ver int NULL)`,
  `INSERT INTO app.plain VALUES ${rows(12, (n) => `${n}, 'n${n}', 'c${n}', ${n}, '2024-01-01', ${yes}, 'x', NULL, NULL, 1`)}`,
  `CREATE TABLE app.counted (id int PRIMARY KEY, code ${text}(9) NULL CONSTRAINT counted_code UNIQUE, price numeric(6,2) NULL, ver int NULL)`,
  `INSERT INTO app.counted VALUES ${rows(40, (n) => `${n}, 'c${n}', ${n}, 1`)}`,
  `CREATE TABLE app.late (id int PRIMARY KEY, name ${text}(20) NULL, price money NULL, ver int NULL)`,
  "INSERT INTO app.late VALUES (1, 'a', 1.5, 1)",
  `CREATE TABLE app.partly (id int PRIMARY KEY, name ${text}(20) NULL, kind ${text}(20) NULL, ver int NULL)`,
  "INSERT INTO app.partly VALUES (1, 'a', 'mine', 1), (2, 'b', 'other', 1)",
  `CREATE TABLE app.twice (id int NULL, name ${text}(20) NULL, ver int NULL)`,
  "INSERT INTO app.twice VALUES (1, 'one', 1), (1, 'two', 1), (2, 'three', 1)",
];

/** Tables whose rows can be changed by one statement, and some for which something stands against it. */
export const shape: Shape = {
  postgres: `
CREATE SCHEMA app;
${tables('varchar', 'boolean', 'true').join(';\n')};
CREATE TABLE app.unversioned (id uuid PRIMARY KEY, name text);
INSERT INTO app.unversioned VALUES ('00000000-0000-0000-0000-00000000000a', 'a');
CREATE TABLE app.parted (id int PRIMARY KEY, name text) PARTITION BY RANGE (id);
CREATE TABLE app.parted_all PARTITION OF app.parted FOR VALUES FROM (0) TO (1000);`,
  sqlserver: [
    'CREATE SCHEMA app',
    ...tables('nvarchar', 'bit', '1'),
    'CREATE TABLE app.unversioned (id uniqueidentifier PRIMARY KEY, name nvarchar(20) NULL, ver rowversion)',
    "INSERT INTO app.unversioned (id, name) VALUES ('00000000-0000-0000-0000-00000000000a', 'a')",
    'CREATE TABLE app.parted (id int PRIMARY KEY, name nvarchar(20) NULL, ver rowversion)',
  ],
  mappings: mapped(`
plain: {dataclass: Plain, table: app.plain, stamp: {counter: ver}, relations: {parent: {to: Plain, foreignKey: plain_up_fkey}}}
twice: {dataclass: Twice, table: app.twice, key: [id], stamp: {counter: ver}}
counted: {dataclass: Counted, table: app.counted, stamp: {counter: ver}}
unversioned: {dataclass: Unversioned, table: app.unversioned, attributes: {id: id, name: name}}
parted: {dataclass: Parted, table: app.parted, attributes: {id: id, name: name}}
late: {dataclass: Late, table: app.late, stamp: {counter: ver}}
some: {dataclass: Some, table: app.partly, stamp: {counter: ver}, where: kind = mine}
`),
  verbs: { COUNTED },
};

/** Several requests at once. */
export function changesAtOnce(served: Served): void {
  test('changes of many of two at once, each with the stamp that both have read, are made once', async () => {
    const ids = [17, 18, 19, 20];
    const bodies = [ids, ids.toReversed(), ids, ids.toReversed()].map((order, at) =>
      order.map((id) => ({ __KEY: id, __STAMP: 1, price: 100 + at })),
    );
    const told = await Promise.all(bodies.map((body) => served.post('Counted', body)));
    const won = told.flatMap(([, body]) =>
      (
        body as { __ENTITIES: { __STATUS: { success: boolean }; __KEY: string }[] }
      ).__ENTITIES.flatMap(({ __STATUS, __KEY }) => (__STATUS.success ? [Number(__KEY)] : [])),
    );
    expect(won.toSorted((a, b) => a - b)).toEqual(ids);
    const [, rows] = await served.get(`Counted(${ids.join()})?$attributes=price&$asArray=true`);
    expect(rows).toMatchObject(ids.map(() => ({ __STAMP: 2 })));
  });
}
