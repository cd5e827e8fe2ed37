import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PostgresConfig } from '../../src/config/config.ts';
import { askForDatabase } from '../../src/cli/init-questions.ts';
import { databaseIn } from '../../src/cli/init/config-text.ts';
import { person } from '../cli/person.ts';
import { commandIo, run } from '../cli/run.ts';
import { testFolder, type TestFolder } from '../config/files.ts';
import { describeWith } from '../targets/missing.ts';
import { ownName } from '../targets/own-name.ts';
import { executeScript, openPostgresDatabase, postgresTarget } from '../targets/postgres.ts';
import { runGateway } from './gateway-process.ts';
import { onEngines } from './shapes/engines.ts';
import { sample } from './shapes/sample.ts';

/** Every character that a URL or a connection string gives a meaning. */
const PASSWORD = `p@ss/w:rd#1?%41;"it's"=}`;
const LOGIN = ownName();
const VARIABLE = 'ENTITYGATE_DATABASE_PASSWORD';

/** A database as it is given, and as the configuration says it. */
type Form = readonly [given: string, written: string];

/** How a login of that password is made and dropped, and the forms in which a user names its database. */
interface ServerCase {
  readonly create: readonly string[];
  readonly drop: string;
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
const postgres: ServerCase = {
  create: [`CREATE ROLE ${LOGIN} LOGIN SUPERUSER PASSWORD ${quoted}`],
  drop: `DROP ROLE ${LOGIN}`,
  forms: { 'a URL': urlForm },
};
const sqlserver: ServerCase = {
  create: [
    `CREATE LOGIN ${LOGIN} WITH PASSWORD = ${quoted}`,
    `ALTER SERVER ROLE sysadmin ADD MEMBER ${LOGIN}`,
  ],
  drop: `DROP LOGIN ${LOGIN}`,
  forms: { 'a URL': urlForm, 'a connection string': connectionStringForm },
};

/** Every character that a URL reserves, and an escape. */
const DATABASE = `${ownName()};/?:@&=+$,#[]%23 "b'`;

onEngines(
  'init with a login of a password with every sign',
  sample,
  (served) => {
    const { create, drop, forms } = served.isSqlServer ? sqlserver : postgres;
    const url = (): string => (served.settings.database as PostgresConfig).url;
    let folder: TestFolder;
    beforeAll(async () => {
      folder = await testFolder();
      for (const statement of create) await served.run(statement);
    });
    afterAll(async () => {
      await served.run(drop);
      await folder.remove();
    });

    test.each(Object.entries(forms))('by %s writes what serves', async (form, formOf) => {
      const [given, written] = formOf(new URL(url()));
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
  },
  ['pglite'],
);

describeWith(await postgresTarget.unavailable(), 'init on PostgreSQL', () => {
  test('serves a database of any name that is picked from its list', async () => {
    const opened = await openPostgresDatabase('CREATE TABLE thing (id int PRIMARY KEY)');
    if (opened.database.engine !== 'postgres') throw new Error('not a PostgreSQL server');
    const { host, username, password, pathname } = new URL(opened.database.url);
    const server = Object.assign(new URL(opened.database.url), { pathname: '/postgres' });
    const [name, odd] = [pathname.slice(1), `"${DATABASE.replaceAll('"', '""')}"`];
    const rename = (from: string, to: string): Promise<void> =>
      executeScript(server.href, `ALTER DATABASE ${from} RENAME TO ${to}`);
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
  });
});
