/**
 * `npm run bench [rows]`: entity sets, and what is computed of values, through the gateway, on every server that can be reached (ENTITYGATE_TEST_…_URL): how long a set takes to be
 * made beside the same SELECT through the driver alone, what its pages cost wherever they stand, and beside pages of the table. The sides
 * of each ratio take turns.
 */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { Connection, Request } from 'tedious';
import { connectionTarget } from '../../../src/database/sqlserver/url.ts';
import { startGateway, type Gateway } from '../../targets/gateway.ts';
import { openPostgresDatabase, postgresTarget } from '../../targets/postgres.ts';
import { openSqlServerDatabase, sqlServerTarget } from '../../targets/sqlserver.ts';
import type { OpenTarget } from '../../targets/target.ts';
import { alternated, shown } from './alternated.ts';

const rows = Number(process.argv[2] ?? 1_000_000);
const FAR = Math.floor(rows * 0.9);

/** A table of whole numbers, texts and amounts, as a legacy database has many. */
const columns =
  'ID int NOT NULL PRIMARY KEY, NM varchar(40) NOT NULL, GRP int NOT NULL, AMT decimal(12,2) NOT NULL';

const schemas = {
  postgres: `CREATE SCHEMA app; CREATE TABLE app.item (${columns.toLowerCase()});
INSERT INTO app.item SELECT n, 'Item ' || n, n % 100, n / 100.0 FROM generate_series(1, ${rows}) n; ANALYZE app.item`,
  sqlserver: [
    'CREATE SCHEMA app',
    `CREATE TABLE app.item (${columns.toLowerCase()})`,
    `WITH d AS (SELECT 0 AS n UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)
INSERT INTO app.item SELECT x.n, 'Item ' + CONVERT(varchar(12), x.n), x.n % 100, x.n / 100.0 FROM (SELECT 1 + a.n + 10*b.n + 100*c.n + 1000*e.n + 10000*f.n + 100000*g.n AS n FROM d a, d b, d c, d e, d f, d g) x WHERE x.n <= ${rows}`,
  ],
};

const SELECT = 'SELECT id FROM app.item ORDER BY id';

/** The rows of a statement through the driver alone, with one connection that is kept: how many there are. */
interface Driver {
  readonly run: (sql: string) => Promise<number>;
  readonly close: () => Promise<void>;
}

async function postgresDriver(url: string): Promise<Driver> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return {
    run: async (text) => (await client.query({ text, rowMode: 'array' })).rows.length,
    close: () => client.end(),
  };
}

async function sqlServerDriver(database: OpenTarget['database']): Promise<Driver> {
  if (database.engine !== 'sqlserver') throw new Error('no SQL Server');
  const { server, port, user, password, database: name } = connectionTarget(database);
  const connection = new Connection({
    server,
    options: {
      port: port ?? 1433,
      encrypt: false,
      trustServerCertificate: true,
      database: name ?? 'master',
      useColumnNames: false,
    },
    authentication: {
      type: 'default',
      options: { userName: user ?? '', password: password ?? '' },
    },
  });
  connection.connect();
  await once(connection, 'connect');
  return {
    run: (text) =>
      new Promise((resolve, reject) => {
        let count = 0;
        const request = new Request(text, (error) => {
          if (error == null) resolve(count);
          else reject(error);
        });
        request.on('row', () => {
          count += 1;
        });
        connection.execSql(request);
      }),
    close: () => {
      connection.close();
      return Promise.resolve();
    },
  };
}

async function read(gateway: Gateway, url: string): Promise<Record<string, unknown>> {
  const answer = await gateway.get(`/rest/${url}`);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body as Record<string, unknown>;
}

async function makeSet(gateway: Gateway, url: string): Promise<string> {
  const body = await read(gateway, url);
  return String(body['__ENTITYSET']).replace('/rest/', '');
}

/** Questions for values, and statements that somebody would write for them. */
const values = [
  ['Item/amt?$compute=$all', 'SELECT COUNT(amt), SUM(amt), MIN(amt), MAX(amt) FROM app.item'],
  [
    'Item/amt?$compute=average&$filter="grp<50"',
    'SELECT COUNT(amt), SUM(amt) FROM app.item WHERE grp < 50',
  ],
  ['Item/grp?$distinct=true', 'SELECT DISTINCT grp FROM app.item ORDER BY grp'],
  [
    'Item/nm?$distinct=true&$top=100',
    'SELECT DISTINCT nm FROM app.item ORDER BY nm OFFSET 0 ROWS FETCH NEXT 100 ROWS ONLY',
  ],
] as const;

async function measure(name: string, opened: OpenTarget, driver: Driver): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'entitygate-bench-'));
  await writeFile(join(folder, 'item.yaml'), 'dataclass: Item\ntable: app.item\nstamp: none\n');
  const gateway = await startGateway(opened.database, { mappings: folder });
  try {
    const make = 'Item?$method=entityset&$top=0';
    const release = async (set: string): Promise<unknown> =>
      read(gateway, `${set}?$method=release`);
    console.log(`${name}, ${rows} rows`);
    const made = await alternated(
      7,
      async () => release(await makeSet(gateway, make)),
      () => driver.run(SELECT),
    );
    console.log(`  a set of all / its SELECT through the driver alone: ${shown(made)}`);
    const set = await makeSet(gateway, make);
    const page = (path: string, skip: number): Promise<unknown> =>
      read(gateway, `${path}?$skip=${skip}&$top=100`);
    const ends = await alternated(
      40,
      (turn) => page(set, FAR + turn * 100),
      (turn) => page(set, turn * 100),
    );
    console.log(`  page far in a set / page at its beginning: ${shown(ends)}`);
    const far = await alternated(
      15,
      (turn) => page('Item', FAR + turn * 100),
      (turn) => page(set, FAR + turn * 100),
    );
    console.log(`  page far in the table / far in the set: ${shown(far)}`);
    const other = await makeSet(gateway, 'Item?$filter="grp<50"&$method=entityset&$top=0');
    const both = `${set}?$logicOperator=AND&$otherCollection=${other.split('/').at(-1) ?? ''}&$top=0`;
    const anded = await alternated(
      7,
      () => read(gateway, both),
      () => driver.run(SELECT),
    );
    console.log(`  AND with a set of half of it / the SELECT through the driver: ${shown(anded)}`);
    for (const query of ['$filter="grp=7"', '$orderby="amt desc"', '$clean=true']) {
      const narrowed = await alternated(
        3,
        () => read(gateway, `${set}?${query}&$top=0`),
        () => driver.run(SELECT),
      );
      console.log(`  ${query} on the set / the SELECT through the driver: ${shown(narrowed)}`);
    }
    for (const [query, sql] of values) {
      const asked = await alternated(
        7,
        () => read(gateway, query),
        () => driver.run(sql),
      );
      console.log(`  ${query} / the same by hand through the driver: ${shown(asked)}`);
    }
    const computed = await alternated(
      3,
      () => read(gateway, `${set}?$attributes=amt&$compute=$all`),
      () => read(gateway, 'Item/amt?$compute=$all'),
    );
    console.log(`  $compute=$all on the set / of the table: ${shown(computed)}`);
  } finally {
    await gateway.close();
    await rm(folder, { recursive: true });
  }
}

if ((await postgresTarget.unavailable()) === null) {
  const opened = await openPostgresDatabase(schemas.postgres);
  const driver = await postgresDriver(
    opened.database.engine === 'postgres' ? opened.database.url : '',
  );
  await measure('PostgreSQL', opened, driver).finally(() => driver.close());
  await opened.close();
} else console.log('PostgreSQL: not reached');
if ((await sqlServerTarget.unavailable()) === null) {
  const opened = await openSqlServerDatabase(() => schemas.sqlserver);
  const driver = await sqlServerDriver(opened.database);
  await measure('SQL Server', opened, driver).finally(() => driver.close());
  await opened.close();
} else console.log('SQL Server: not reached');
