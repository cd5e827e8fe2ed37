import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import sql from 'mssql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sqlServerTarget as readUrl } from '../../src/database/sqlserver/url.ts';
import { askForDatabase } from '../../src/cli/init-questions.ts';
import { databaseIn } from '../../src/cli/init/config-text.ts';
import { person } from '../cli/person.ts';
import { commandIo, run } from '../cli/run.ts';
import { testFolder, type TestFolder } from '../config/files.ts';
import { openPostgresDatabase, postgresTarget } from '../targets/postgres.ts';
import { sqlServerTarget } from '../targets/sqlserver.ts';
import type { OpenTarget, Target } from '../targets/target.ts';
import { runGateway } from './gateway-process.ts';

/** Every character that a URL or a connection string gives a meaning. */
const PASSWORD = `p@ss/w:rd#1?%41;"it's"=}`;
const LOGIN = 'entitygate_init_reader';
const VARIABLE = 'ENTITYGATE_DATABASE_PASSWORD';

/** A database as it is given, and as the configuration says it. */
type Form = readonly [given: string, written: string];

/** A server with a login of that password, and the forms in which a user names it. */
interface ServerCase {
  readonly target: Target;
  readonly execute: (url: string, statement: string) => Promise<void>;
  readonly create: readonly string[];
  readonly drop: readonly string[];
  readonly forms: Readonly<Record<string, (url: URL) => Form>>;
}

function urlForm({ protocol, host, pathname, search }: URL): Form {
  const withPassword = (password: string): string =>
    `${protocol}//${LOGIN}:${password}@${host}${pathname}${search}`;
  return [withPassword(encodeURIComponent(PASSWORD)), withPassword(`\${ENV:${VARIABLE}}`)];
}

function connectionStringForm({ hostname, port, pathname }: URL): Form {
  const withPassword = (password: string): string =>
    `Server=${hostname},${port || '1433'};Database=${pathname.slice(1)};User Id=${LOGIN};` +
    `Password=${password};Encrypt=false;TrustServerCertificate=true`;
  return [withPassword(`"${PASSWORD.replaceAll('"', '""')}"`), withPassword(`\${ENV:${VARIABLE}}`)];
}

const quoted = `'${PASSWORD.replaceAll("'", "''")}'`;
const servers: readonly ServerCase[] = [
  {
    target: postgresTarget,
    execute: async (url, statement) => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.query(statement);
      await client.end();
    },
    create: [`CREATE ROLE ${LOGIN} LOGIN SUPERUSER PASSWORD ${quoted}`],
    drop: [`DROP ROLE IF EXISTS ${LOGIN}`],
    forms: { 'a URL': urlForm },
  },
  {
    target: sqlServerTarget,
    execute: async (url, statement) => {
      // A database that has connections cannot be dropped, and the server takes its time to forget one.
      const pool = new sql.ConnectionPool({
        ...readUrl(url),
        database: 'master',
        pool: { max: 1 },
      });
      await pool.connect();
      await pool.request().batch(statement);
      await pool.close();
    },
    create: [
      `CREATE LOGIN ${LOGIN} WITH PASSWORD = ${quoted}`,
      `ALTER SERVER ROLE sysadmin ADD MEMBER ${LOGIN}`,
    ],
    drop: [`DROP LOGIN ${LOGIN}`],
    forms: { 'a URL': urlForm, 'a connection string': connectionStringForm },
  },
];

/** Every character that a URL reserves, and an escape. */
const DATABASE = `erp;/?:@&=+$,#[]%23 "b'`;

const missing = await Promise.all(servers.map(({ target }) => target.unavailable()));

describe.each(servers.map((server, index) => ({ ...server, why: missing[index] ?? null })))(
  'init on $target.name',
  ({ target, execute, create, drop, forms, why }) => {
    describe.skipIf(why !== null)(why ?? 'with a login of a password with every sign', () => {
      let folder: TestFolder;
      let opened: OpenTarget;
      let url: string;
      beforeAll(async () => {
        folder = await testFolder();
        opened = await target.open();
        if (!('url' in opened.database)) throw new Error(`${target.name} has no URL`);
        url = opened.database.url ?? '';
        for (const statement of drop) await execute(url, statement).catch(() => undefined);
        for (const statement of create) await execute(url, statement);
      });
      afterAll(async () => {
        for (const statement of drop) await execute(url, statement);
        await opened.close();
        await folder.remove();
      });

      test.each(Object.entries(forms))('by %s writes what serves', async (form, formOf) => {
        const [given, written] = formOf(new URL(url));
        const out = join(folder.path, form.replaceAll(' ', '-'));
        const config = join(out, 'config.yaml');
        const { code, out: said } = await run(['init', '--database', given, '--out', out]);
        expect([code, said.slice(said.indexOf('Serve it'))]).toEqual([
          0,
          `Serve it. ${config} takes secrets from the environment; write them there as they are, ` +
            `without the escapes of a URL:\n` +
            `  export ${VARIABLE}='…'\n  entitygate serve --config ${config}\n` +
            `In PowerShell, set them with\n  $env:${VARIABLE} = '…'\n`,
        ]);
        const text = await readFile(config, 'utf8');
        expect(text).toContain(`  url: ${written}\n`);
        const line = text.split('\n').findIndex((part) => part.startsWith('  url:')) + 1;

        const unset = await runGateway(['serve', '--config', config]).ended;
        expect([unset.code, unset.stderr]).toEqual([
          1,
          `entitygate cannot start:\n  ${config}:${line}:8: the environment variable ${VARIABLE} is not set\n`,
        ]);

        const gateway = runGateway(['serve', '--config', config, '--port', '0'], {
          [VARIABLE]: PASSWORD,
        });
        const answer = await fetch(`${await gateway.serving}/rest/$catalog`);
        expect(answer.status).toBe(200);
        expect((await gateway.end('SIGTERM')).code).toBe(0);

        const again = await run(['init', '--database', given, '--out', out]);
        expect([again.code, again.out]).toEqual([
          0,
          expect.stringMatching(/\n\nNothing is new; no file was written\.\n/),
        ]);
        expect(await readFile(config, 'utf8')).toBe(text);
      });
    });
  },
);

test.skipIf(missing[0] !== null)(
  `init serves a database of any name that is picked from its list (${missing[0] ?? 'PostgreSQL'})`,
  async () => {
    const opened = await openPostgresDatabase('CREATE TABLE thing (id int PRIMARY KEY)');
    if (opened.database.engine !== 'postgres') throw new Error('not a PostgreSQL server');
    const { host, username, password, pathname } = new URL(opened.database.url);
    const server = Object.assign(new URL(opened.database.url), { pathname: '/postgres' });
    const [name, odd] = [pathname.slice(1), `"${DATABASE.replaceAll('"', '""')}"`];
    const rename = async (from: string, to: string): Promise<void> => {
      const client = new pg.Client({ connectionString: server.href });
      await client.connect();
      await client.query(`ALTER DATABASE ${from} RENAME TO ${to}`);
      await client.end();
    };
    await rename(name, odd);
    try {
      const login = [username, password].map((text) => decodeURIComponent(text));
      const isLocal = /^(?:localhost|127\.|\[::1\])/.test(host);
      const answers = ['postgres', host, ...login, ...(isLocal ? [] : ['no']), DATABASE];
      const { setting, live } = await askForDatabase(commandIo({ input: person(answers) }));
      expect(live.schema.tables.map((table) => table.name)).toEqual(['thing']);
      expect('url' in setting.database && databaseIn(setting.database.url)).toBe(DATABASE);
    } finally {
      await rename(odd, name);
      await opened.close();
    }
  },
);
