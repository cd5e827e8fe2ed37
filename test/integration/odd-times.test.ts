import { expect, test } from 'vitest';
import { mapped, onEngines, type Served, type Shape } from './shapes/engines.ts';

/** A row: its date-time as the database has it, and as the gateway answers it. */
type Row = readonly [stored: string, answered: string];

/**
 * The days that are the same in every time zone, one beside them, and an ordinary one. None is of a time when clocks showed the
 * sun's: Babelfish cuts the seconds of such offsets, and SQL Server knows none of them.
 */
const fine: readonly Row[] = [
  ['0001-01-01 00:00:00', '0001-01-01T00:00:00.000Z'],
  ['0001-01-01 23:59:59', '0001-01-01T23:59:59.000Z'],
  ['2024-07-01 12:00:00', ''],
  ['9999-12-30 00:00:00', ''],
  ['9999-12-31 00:00:00', '9999-12-31T00:00:00.000Z'],
  ['9999-12-31 23:59:59.999', '9999-12-31T23:59:59.999Z'],
];

/** Each kind of column with the rows that it can hold. */
const tsqlTables: Readonly<Record<string, readonly Row[]>> = {
  'datetime2(7)': fine,
  datetime: [
    ['1753-01-01 00:00:00', '1753-01-01T00:00:00.000Z'],
    ['2024-07-01 12:00:00', ''],
    ['9999-12-31 23:59:59.997', '9999-12-31T23:59:59.997Z'],
  ],
  smalldatetime: [
    ['1900-01-01 00:00:00', '1900-01-01T00:00:00.000Z'],
    ['1900-01-03 00:00:00', ''],
    ['2079-06-06 23:59:00', '2079-06-06T23:59:00.000Z'],
  ],
};

interface Entity {
  readonly at: string;
  readonly n: number;
  /** The same once more, in an array, where the engine has arrays. */
  readonly times?: readonly string[];
}

const postgresTables: Readonly<Record<string, readonly Row[]>> = {
  timestamp: [
    ['4714-11-24 00:00:00 BC', '4714-11-24 00:00:00+00 BC'],
    ['4714-11-24 23:59:59 BC', '4714-11-24 23:59:59+00 BC'],
    ['0044-03-15 12:00:00.5 BC', ''],
    ['0001-01-01 00:30:00 BC', ''],
    ['0001-12-31 12:00:00 BC', ''],
    ...fine,
    ['9999-12-31 23:59:59.999999', '9999-12-31T23:59:59.999999Z'],
    ['10000-01-01 12:00:00', ''],
    ['12024-01-01 00:30:00', ''],
    ['12024-07-01 23:30:00.25', ''],
    ['294276-12-30 12:00:00', ''],
    ['294276-12-31 00:00:00', '294276-12-31T00:00:00.000Z'],
    ['294276-12-31 23:59:59.999999', '294276-12-31T23:59:59.999999Z'],
  ],
};

/** A table of each kind of column, with a number for each row, and on PostgreSQL the same time in an array. */
function edges(tables: Readonly<Record<string, readonly Row[]>>, timeZone: string): Shape {
  const isPostgres = tables === postgresTables;
  const statements = Object.entries(tables).flatMap(([type, rows], index) => [
    `CREATE TABLE app.t${index} (at ${type} NOT NULL PRIMARY KEY, n int NOT NULL${isPostgres ? `, times ${type}[]` : ''})`,
    ...rows.map(
      ([stored], n) =>
        `INSERT INTO app.t${index} VALUES ('${stored}', ${n}${isPostgres ? `, '{"${stored}"}'` : ''})`,
    ),
  ]);
  const schema = ['CREATE SCHEMA app', ...statements];
  const files = Object.keys(tables).map((_, index) => [
    `t${index}`,
    { dataclass: `T${index}`, table: `app.t${index}`, stamp: 'hash' },
  ]);
  return {
    postgres: isPostgres ? schema.join(';\n') : '',
    sqlserver: isPostgres ? [] : schema,
    mappings: mapped(Object.fromEntries(files) as object),
    settings: { timeZone },
  };
}

function goRound(served: Served, tables: Readonly<Record<string, readonly Row[]>>): void {
  async function entities(path: string): Promise<readonly Entity[]> {
    const [status, body] = await served.get(path);
    expect([path, status, status === 200 ? '' : body]).toEqual([path, 200, '']);
    return (body as { __ENTITIES: Entity[] }).__ENTITIES;
  }
  const specs = Object.entries(tables).map(([type, rows], at) => ({ type, rows, name: `T${at}` }));

  test.each(specs)(
    'read, found by key and by filter, and written: $type',
    async ({ name, rows }) => {
      const found = await entities(`${name}?$orderby=n`);
      expect(found).toHaveLength(rows.length);
      for (const [n, { at, times = [at] }] of found.entries()) {
        expect(times).toEqual([at]);
        const expected = rows[n]?.[1] ?? '';
        if (expected !== '') expect(at).toBe(expected);
        const url = encodeURIComponent(at);
        expect(await served.get(`${name}(${url})`)).toMatchObject([200, { at, n }]);
        const numbers = async (filter: string): Promise<number[]> =>
          (await entities(`${name}?$filter='${filter}'&$orderby=n`)).map((row) => row.n);
        expect(await numbers(`at = ${url}`)).toEqual([n]);
        expect(await numbers(`at in [${url}]`)).toEqual([n]);
        expect(await numbers(`at < ${url}`)).toEqual([...Array(n).keys()]);
      }
      for (const { at, n, times } of found) {
        const url = encodeURIComponent(at);
        expect([at, await served.delete(`${name}(${url})`)]).toEqual([at, [200, { ok: true }]]);
        const body = { at, n, ...(times && { times }) };
        expect(await served.post(name, body)).toMatchObject([200, body]);
      }
    },
  );
}

for (const zone of ['Europe/Berlin', 'America/New_York']) {
  for (const tables of [postgresTables, tsqlTables]) {
    const tests = (served: Served): void => goRound(served, tables);
    // PGlite reads and writes them as a server of PostgreSQL does.
    onEngines(`date-times at the edges in ${zone}`, edges(tables, zone), tests, ['postgres']);
  }
}
