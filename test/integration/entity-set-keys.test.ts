import { expect, test } from 'vitest';
import { parsed, rows } from '../rows.ts';
import { idOf, makeSet, type Slots, slotsOf } from './sets.ts';
import { mapped, onEngines, type Shape } from './shapes/engines.ts';

/** Tables whose keys are of one type, in both languages, and the keys: at the ends of their ranges, and in forms that look like others. */
const keyTables = rows`
  large  | bigint        | bigint           | ['9007199254740992', '9007199254740993', '-9223372036854775808', '9223372036854775807', '-9007199254740993', '0']
  exact  | decimal(20,6) | decimal(20,6)    | ['0.000001', '1', '-3.25', '12345678901234.123456', '12345678901234.123457', '10']
  worded | varchar(60)   | nvarchar(60)     | ["it's", a/b, 'a,b;c', '  two blanks', '0', '00', '1e3', 'null', 'a&b=c?d#e', 100% (x), '[y]', snake_case]
  guided | uuid          | uniqueidentifier | [00000000-0000-0000-0000-000000000000, c0ffee00-0000-4000-8000-000000000001, ffffffff-ffff-ffff-ffff-ffffffffffff]
  dated  | date          | date             | ['0001-01-01', '1582-10-15', '2024-02-29', '9999-12-30']
  timed  | timestamp(3)  | datetime2(3)     | ['2024-02-29 12:34:56.789', '2024-02-29 12:34:56.788', '1999-12-31 00:00:00']
`.map(([name = '', postgres = '', sqlserver = '', keys = '']) => ({
  ...{ name, postgres, sqlserver },
  keys: parsed<string[]>(keys).map((key) =>
    postgres === 'bigint' || name === 'exact' ? key : `'${key.replaceAll("'", "''")}'`,
  ),
}));

const created = (engine: 'postgres' | 'sqlserver'): string[] => [
  'CREATE SCHEMA app',
  ...keyTables.flatMap(({ name, keys, ...types }) => [
    `CREATE TABLE app.${name} (id ${types[engine]} NOT NULL PRIMARY KEY, n int NOT NULL)`,
    `INSERT INTO app.${name} VALUES ${keys.map((key, index) => `(${key}, ${index + 1})`).join(', ')}`,
  ]),
  `CREATE TABLE app.several (a bigint NOT NULL, b ${engine === 'postgres' ? 'varchar' : 'nvarchar'}(20) NOT NULL, c date NOT NULL, n int NOT NULL, PRIMARY KEY (a, b, c))`,
  `INSERT INTO app.several VALUES
   (9007199254740993, 'x;y', '2024-01-01', 1), (9007199254740992, 'x;y', '2024-01-01', 2),
   (9007199254740993, 'x', '2024-01-01', 3), (9007199254740993, 'x;y', '2024-01-02', 4), (-1, '1', '2024-01-01', 5)`,
];

/** The tables, and how many entities each has; their attribute `n` counts them from 1. */
const counts = [
  ...keyTables.map(({ name, keys }) => [name, keys.length] as const),
  ['several', 5],
] as const;

const shape: Shape = {
  postgres: created('postgres').join(';\n'),
  sqlserver: created('sqlserver'),
  mappings: mapped(
    Object.fromEntries(
      counts.map(([name]) => [name, { dataclass: name, table: `app.${name}`, stamp: 'hash' }]),
    ),
  ),
};

/** A set keeps keys and no entities: whatever their type, each has to lead back to its own row, on every way there is. */
onEngines('entity sets by keys of every kind', shape, (served) => {
  const make = (path: string): Promise<string> => makeSet(served.gateway, path);
  const read = async (uri: string, query = ''): Promise<Slots> =>
    slotsOf(await served.gateway.get(`${uri}${query}`), 'n').slots;

  test.each(counts)('%s', async (dataclass, count) => {
    const down = Array.from({ length: count }, (_, index) => count - index);
    const uri = await make(`${dataclass}?$orderby="n desc"&$method=entityset`);
    const path = uri.replace('/rest/', '');
    expect(await read(uri)).toEqual(down);
    const { body } = await served.gateway.get(`${uri}?$attributes=n`);
    const { __ENTITIES: entities } = body as { __ENTITIES: readonly { readonly __KEY: string }[] };
    for (const [index, { __KEY: key }] of entities.entries()) {
      expect(await read(uri, `?$skip=${index}&$top=1`)).toEqual([count - index]);
      const found = await served.get(`${path}?$findKey='${encodeURIComponent(key)}'`);
      expect([key, ...found]).toEqual([key, 200, { result: index }]);
    }

    const low = await make(`${dataclass}?$filter="n<3"&$orderby=n&$method=entityset`);
    const combined = (one: string, operator: string, other: string): Promise<Slots> =>
      read(one, `?$logicOperator=${operator}&$otherCollection=${idOf(other)}`);
    expect(await combined(uri, 'AND', low)).toEqual([2, 1]);
    expect(await combined(low, 'OR', uri)).toEqual([1, 2, ...down.slice(0, -2)]);
    expect(await combined(uri, 'EXCEPT', low)).toEqual(down.slice(0, -2));
    expect(await read(uri, '?$filter="n<3"&$orderby=n')).toEqual([1, 2]);

    await served.run(`DELETE FROM app.${dataclass} WHERE n = 2`);
    const kept = down.filter((n) => n !== 2);
    expect(await read(uri)).toEqual(down.map((n) => (n === 2 ? null : n)));
    expect(await read(uri, '?$clean=true')).toEqual(kept);
    expect(await read(uri, '?$orderby=n')).toEqual([...kept.toReversed(), null]);
    expect(await served.post(`${low.replace('/rest/', '')}?$method=delete`)).toEqual([
      200,
      { ok: true },
      1,
    ]);
    expect(await read(uri)).toEqual(down.map((n) => (n < 3 ? null : n)));
  });
});
