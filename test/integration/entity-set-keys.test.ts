import { expect, test } from 'vitest';
import { idOf, makeSet, type Slots, slotsOf } from './sets.ts';
import { errors, onEngines, type Shape } from './shapes/engines.ts';

/** A table whose key is of one type, and the literals of its keys, which both languages read alike. */
interface KeyTable {
  readonly name: string;
  readonly type: Readonly<Record<'postgres' | 'sqlserver', string>>;
  readonly keys: readonly string[];
}

const text = (keys: readonly string[]): string[] =>
  keys.map((key) => `'${key.replaceAll("'", "''")}'`);

const keyTables: readonly KeyTable[] = [
  {
    name: 'whole',
    type: { postgres: 'int', sqlserver: 'int' },
    keys: ['0', '-1', '2147483647', '-2147483648', '7'],
  },
  {
    name: 'large',
    type: { postgres: 'bigint', sqlserver: 'bigint' },
    keys: [
      '9007199254740992',
      '9007199254740993',
      '-9223372036854775808',
      '9223372036854775807',
      '-9007199254740993',
      '0',
      '4294967296',
    ],
  },
  {
    name: 'exact',
    type: { postgres: 'decimal(20,6)', sqlserver: 'decimal(20,6)' },
    keys: ['0.000001', '1', '-3.25', '12345678901234.123456', '12345678901234.123457', '1.5', '10'],
  },
  {
    name: 'worded',
    type: { postgres: 'varchar(60)', sqlserver: 'nvarchar(60)' },
    keys: text([
      "it's",
      'a/b',
      'a,b;c',
      '  two blanks',
      '0',
      '00',
      '1e3',
      'null',
      'true',
      'a&b=c?d#e',
      '100% (x)',
      '[y]',
      'snake_case',
    ]),
  },
  {
    name: 'guided',
    type: { postgres: 'uuid', sqlserver: 'uniqueidentifier' },
    keys: text([
      '00000000-0000-0000-0000-000000000000',
      'c0ffee00-0000-4000-8000-000000000001',
      'ffffffff-ffff-ffff-ffff-ffffffffffff',
    ]),
  },
  {
    name: 'dated',
    type: { postgres: 'date', sqlserver: 'date' },
    keys: text(['0001-01-01', '1582-10-15', '2024-02-29', '9999-12-30']),
  },
  {
    name: 'timed',
    type: { postgres: 'timestamp(3)', sqlserver: 'datetime2(3)' },
    keys: text(['2024-02-29 12:34:56.789', '2024-02-29 12:34:56.788', '1999-12-31 00:00:00']),
  },
];

const created = (engine: 'postgres' | 'sqlserver'): string[] => [
  ...keyTables.flatMap(({ name, type, keys }) => [
    `CREATE TABLE app.${name} (id ${type[engine]} NOT NULL PRIMARY KEY, n int NOT NULL)`,
    `INSERT INTO app.${name} VALUES ${keys.map((key, index) => `(${key}, ${index + 1})`).join(', ')}`,
  ]),
  `CREATE TABLE app.several (a bigint NOT NULL, b ${engine === 'postgres' ? 'varchar' : 'nvarchar'}(20) NOT NULL, c date NOT NULL, n int NOT NULL, PRIMARY KEY (a, b, c))`,
  `INSERT INTO app.several VALUES
   (9007199254740993, 'x;y', '2024-01-01', 1), (9007199254740992, 'x;y', '2024-01-01', 2),
   (9007199254740993, 'x', '2024-01-01', 3), (9007199254740993, 'x;y', '2024-01-02', 4), (-1, '1', '2024-01-01', 5)`,
];

/** The dataclasses and how many entities each has; their attribute `n` counts them from 1. */
const counts: readonly (readonly [dataclass: string, count: number])[] = [
  ...keyTables.map(({ name, keys }) => [capital(name), keys.length] as const),
  ['Several', 5],
];

function capital(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** Keys of every kind, at the ends of their ranges and in forms that look like others. */
const shape: Shape = {
  postgres: `CREATE SCHEMA app; ${created('postgres').join(';\n')};`,
  sqlserver: ['CREATE SCHEMA app', ...created('sqlserver')],
  mappings: {
    ...Object.fromEntries(counts.map(([dataclass]) => [dataclass, mapping(dataclass)])),
    // The same rows to those who may only look.
    Shown: 'dataclass: Shown\ntable: app.guided\nreadOnly: true\nattributes: { id: id, n: n }\n',
  },
};

function mapping(dataclass: string): string {
  const name = dataclass.toLowerCase();
  const key = name === 'several' ? 'a: a, b: b, c: c' : 'id: id';
  return `dataclass: ${dataclass}\ntable: app.${name}\nstamp: hash\nattributes: { ${key}, n: n }\n`;
}

/** A set keeps keys and no entities: whatever their type, each has to lead back to its own row, on every way there is. */
onEngines('entity sets by keys of every kind', shape, (served) => {
  const make = (path: string): Promise<string> => makeSet(served.gateway, path);
  const read = async (uri: string, query = ''): Promise<Slots> =>
    slotsOf(await served.gateway.get(`${uri}${query}`), 'n').slots;

  test.each(counts)('%s', async (dataclass, count) => {
    const table = `app.${dataclass.toLowerCase()}`;
    const down = Array.from({ length: count }, (_, index) => count - index);
    const uri = await make(`${dataclass}?$orderby="n desc"&$method=entityset`);

    expect(await read(uri)).toEqual(down);
    for (const [index, n] of down.entries()) {
      expect(await read(uri, `?$skip=${index}&$top=1`)).toEqual([n]);
    }
    const entities = (await served.gateway.get(`${uri}?$attributes=n`)).body as {
      readonly __ENTITIES: readonly { readonly __KEY: string }[];
    };
    for (const [index, { __KEY: key }] of entities.__ENTITIES.entries()) {
      const found = await served.get(
        `${uri.replace('/rest/', '')}?$findKey='${encodeURIComponent(key)}'`,
      );
      expect([key, ...found]).toEqual([key, 200, { result: index }]);
    }

    const low = await make(`${dataclass}?$filter="n<3"&$orderby=n&$method=entityset`);
    const combined = (one: string, operator: string, other: string): Promise<Slots> =>
      read(one, `?$logicOperator=${operator}&$otherCollection=${idOf(other)}`);
    expect(await combined(uri, 'AND', low)).toEqual([2, 1]);
    expect(await combined(low, 'OR', uri)).toEqual([1, 2, ...down.slice(0, -2)]);
    expect(await combined(uri, 'EXCEPT', low)).toEqual(down.slice(0, -2));
    expect(await combined(low, 'EXCEPT', uri)).toEqual([]);
    expect(await read(uri, '?$filter="n<3"')).toEqual([2, 1]);
    expect(await read(uri, '?$orderby=n')).toEqual(down.toReversed());

    await served.run(`DELETE FROM ${table} WHERE n = 2`);
    const slots = down.map((n) => (n === 2 ? null : n));
    expect(await read(uri)).toEqual(slots);
    expect(await read(uri, '?$clean=true')).toEqual(down.filter((n) => n !== 2));
    expect(await read(uri, '?$orderby=n')).toEqual([
      ...down.filter((n) => n !== 2).toReversed(),
      null,
    ]);
    expect(await read(low, '?$filter="n>0"')).toEqual([1]);

    const path = low.replace('/rest/', '');
    expect(await served.post(`${path}?$method=delete`)).toEqual([200, { ok: true }, 1]);
    expect(await read(low)).toEqual([null, null]);
    expect(await read(uri)).toEqual(down.map((n) => (n < 3 ? null : n)));
  });

  test('the entities of a set that are read only are not deleted', async () => {
    await served.run('DELETE FROM app.guided');
    await served.run("INSERT INTO app.guided VALUES ('c0ffee00-0000-4000-8000-000000000002', 1)");
    const uri = await make('Shown?$method=entityset');
    const path = uri.replace('/rest/', '');
    const refusal = [403, errors([1560, 'Entities of Shown cannot be deleted: it is read-only.'])];
    expect(await served.post(`${path}?$method=delete`)).toEqual(refusal);
    expect(await served.post(`${path}?$filter="n=1"&$method=delete`)).toEqual(refusal);
    expect(await served.delete(path)).toEqual(refusal);
    expect(await read(uri)).toEqual([1]);
  });
});
