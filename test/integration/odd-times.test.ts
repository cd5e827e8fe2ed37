import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Gateway, startGateway } from '../targets/gateway.ts';
import { openSqlServerDatabase, sqlServerTarget } from '../targets/sqlserver.ts';
import type { OpenTarget } from '../targets/target.ts';
import { mapped, onEngines, type Shape } from './shapes/engines.ts';

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

interface Place {
  readonly name: string;
  readonly tables: Readonly<Record<string, readonly Row[]>>;
  /** Why it cannot be tested here. */
  readonly missing: string | null;
  readonly open: (statements: readonly string[], folder: string) => Promise<OpenTarget>;
}

const places: readonly Place[] = [
  {
    name: 'PostgreSQL',
    tables: {
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
    },
    missing: null,
    open: async (statements, folder) => {
      const seed = join(folder, 'seed.sql');
      await writeFile(seed, statements.map((statement) => `${statement};\n`).join(''));
      return {
        database: { engine: 'pglite', statementTimeoutSeconds: 30, directory: 'memory:', seed },
        close: () => Promise.resolve(),
      };
    },
  },
  {
    name: 'SQL Server',
    tables: tsqlTables,
    missing: await sqlServerTarget.unavailable(),
    open: (statements) => openSqlServerDatabase(() => statements),
  },
];

const zones = ['Europe/Berlin', 'America/New_York'];
const cases = places.flatMap(({ missing, ...place }) =>
  zones.map((zone) => ({ ...place, missing, zone })),
);

describe.each(cases)('date-times at the edges of $name in $zone', (place) => {
  const specs = Object.entries(place.tables).map(([type, rows], index) => ({
    name: `T${index}`,
    type,
    rows,
  }));

  describe.skipIf(place.missing !== null)('are', () => {
    let opened: OpenTarget;
    let gateway: Gateway;
    let folder: string;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'entitygate-edges-'));
      const isPostgres = place.name === 'PostgreSQL';
      const statements = specs.flatMap(({ name, type, rows }) => [
        `CREATE TABLE legacy."${name}" (AT ${type} NOT NULL PRIMARY KEY, N int NOT NULL${isPostgres ? `, TIMES ${type}[]` : ''})`,
        ...rows.map(
          ([stored], n) =>
            `INSERT INTO legacy."${name}" VALUES ('${stored}', ${n}${isPostgres ? `, '{"${stored}"}'` : ''})`,
        ),
      ]);
      opened = await place.open(['CREATE SCHEMA legacy', ...statements], folder);
      const mappings = join(folder, 'mappings');
      await mkdir(mappings);
      const columns = isPostgres ? 'at: at, n: n, times: times' : 'at: AT, n: N';
      for (const { name } of specs) {
        await writeFile(
          join(mappings, `${name}.yaml`),
          `dataclass: ${name}\ntable: legacy.${name}\nattributes: { ${columns} }\nstamp: hash\n`,
        );
      }
      gateway = await startGateway(opened.database, { mappings, timeZone: place.zone });
    });
    afterAll(async () => {
      await gateway.close();
      await opened.close();
      await rm(folder, { recursive: true });
    });

    async function entities(url: string): Promise<readonly Entity[]> {
      const { status, body, text } = await gateway.get(url);
      expect([url, status, status === 200 ? '' : text]).toEqual([url, 200, '']);
      return (body as { __ENTITIES: Entity[] }).__ENTITIES;
    }

    test.each(specs)('read, found by key and by filter: $type', async ({ name, rows }) => {
      const found = await entities(`/rest/${name}?$orderby=n`);
      expect(found).toHaveLength(rows.length);
      for (const [n, { at, times = [at] }] of found.entries()) {
        expect(times).toEqual([at]);
        const expected = rows[n]?.[1] ?? '';
        if (expected !== '') expect(at).toBe(expected);
        const url = encodeURIComponent(at);
        const key = await gateway.get(`/rest/${name}(${url})`);
        expect([at, key.status, (key.body as { n?: number }).n]).toEqual([at, 200, n]);
        const numbers = async (filter: string): Promise<number[]> =>
          (await entities(`/rest/${name}?$filter='${filter}'&$orderby=n`)).map((row) => row.n);
        expect(await numbers(`at = ${url}`)).toEqual([n]);
        expect(await numbers(`at in [${url}]`)).toEqual([n]);
        expect(await numbers(`at < ${url}`)).toEqual([...Array(n).keys()]);
      }
    });

    test.each(specs)('written, and read again: $type', async ({ name, rows }) => {
      for (const [n, { at, times }] of (await entities(`/rest/${name}?$orderby=n`)).entries()) {
        const removed = await gateway.get(
          `/rest/${name}(${encodeURIComponent(at)})?$method=delete`,
          {
            method: 'POST',
          },
        );
        expect([at, removed.status, removed.text]).toEqual([at, 200, expect.any(String)]);
        const saved = await gateway.get(`/rest/${name}?$method=update`, {
          method: 'POST',
          body: JSON.stringify({ at, n, times }),
        });
        expect([saved.status, saved.body]).toMatchObject([200, { at, n, ...(times && { times }) }]);
      }
      expect(await entities(`/rest/${name}?$orderby=at`)).toHaveLength(rows.length);
    });
  });
});

/** Local times around the hour that the clocks of Berlin skip, and one in it, as programs without time zones write them. */
const localTimes = ['01:30:00', '02:15:00', '02:30:00', '03:15:00', '03:30:00'].map(
  (time, index) => `(${index + 1}, '2024-03-31 ${time}')`,
);

const shifts: Shape = {
  postgres: `CREATE SCHEMA app;
CREATE TABLE app.shift (id int PRIMARY KEY, at timestamp, coarse timestamp(0));
INSERT INTO app.shift (id, at) VALUES ${localTimes.join(', ')}; UPDATE app.shift SET coarse = at;`,
  sqlserver: [
    'CREATE SCHEMA app',
    'CREATE TABLE app.shift (id int NOT NULL PRIMARY KEY, at datetime2(7) NULL, coarse datetime NULL)',
    `INSERT INTO app.shift (id, at) VALUES ${localTimes.join(', ')}; UPDATE app.shift SET coarse = at`,
  ],
  mappings: mapped(`
shift: {dataclass: Shift, table: app.shift, stamp: hash}
`),
  settings: { timeZone: 'Europe/Berlin' },
};

onEngines('local times in an hour that clocks skip', shifts, (served) => {
  test.each([
    ['at = 2024-03-31T02:30:00', [3]],
    ['at < 2024-03-31T02:30:00', [1, 2]],
    ['at >= 2024-03-31T02:20:00 AND at < 2024-03-31T03:20:00', [3, 4]],
    ['at != 2024-03-31T02:30:00', [1, 2, 4, 5]],
    ['at in [2024-03-31T02:30:00, 2024-03-31T03:30:00]', [3, 5]],
    ['at in [2024-03-31T02:15:00, 2024-03-31T01:30:00Z]', [2, 5]],
    ['coarse = 2024-03-31T02:30:00', [3]],
    ['coarse > 2024-03-31T02:29:59.999', [3, 4, 5]],
    ['at = 2024-03-31T01:30:00Z', [5]],
    ['at = 2024-03-31T02:30:00+01:00', [5]],
  ])('compare as they are written: %s', async (filter, expected) => {
    const quoted = encodeURIComponent(`"${filter}"`);
    const answer = await served.get(`Shift?$filter=${quoted}&$attributes=id&$asArray=true`);
    expect(answer).toEqual([200, expected.map((id) => expect.objectContaining({ id }) as object)]);
  });
});
