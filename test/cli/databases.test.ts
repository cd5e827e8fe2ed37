import { copyFile, readdir, utimes } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ProtocolError } from '../../src/base/errors.ts';
import { checkDatabaseNamed } from '../../src/cli/databases.ts';
import type { Config } from '../../src/config/config.ts';
import type { Database } from '../../src/database/database.ts';
import { commandIo, run } from './run.ts';
import { sharedFolder, testFolder, type TestFolder } from '../config/files.ts';
import { rows } from '../rows.ts';
import { snapshots } from '../fixtures/legacy/model.ts';

/** What is said where a URL names no database, and what the server was opened with and asked. It lists names, refuses the statement, or is away. */
async function unnamed(url: string, answer: readonly string[] | Error, isAway = false) {
  const seen = { opened: '', asked: '', closed: 0 };
  const open = ({ database }: Config): Promise<Pick<Database, 'run' | 'close'>> => {
    seen.opened = 'url' in database ? (database.url ?? '') : '';
    if (isAway && answer instanceof Error) return Promise.reject(answer);
    return Promise.resolve({
      run: ({ statement }) => {
        seen.asked = statement.text;
        if (answer instanceof Error) return Promise.reject(answer);
        return Promise.resolve({ columns: [], rows: answer.map((name) => [name]) });
      },
      close: () => Promise.resolve(void (seen.closed += 1)),
    });
  };
  const engine = url.startsWith('postgres') ? 'postgres' : 'sqlserver';
  const given = { name: '--database', database: { engine, url } } as const;
  const problem = await checkDatabaseNamed(given, commandIo(), open).catch(String);
  return { ...seen, problem };
}

const [SOME, MASTER] = [
  'postgres://ada:geheim@h:5433',
  'sys.databases WHERE HAS_DBACCESS(name) = 1',
];
const ADD = 'StartupError: --database: add the name of the database; ';
const cause = new Error('permission denied for table pg_database');
const denied = new ProtocolError('refusedByDatabase', 'The database refused.', undefined, cause);

test.each([
  [
    `${SOME}?sslmode=require`,
    `${SOME}/postgres?sslmode=require`,
    "has_database_privilege(oid, 'CONNECT')",
  ],
  ['mssql://ada:geheim@h/?encrypt=false', 'mssql://ada:geheim@h/master?encrypt=false', MASTER],
  ['Server=h;User Id=ada', 'Server=h;User Id=ada;Database="master"', MASTER],
])('%s names no database, and the server is asked', async (url, opened, asked) => {
  const { problem, ...seen } = await unnamed(url, ['erp', 'Sales 2']);
  expect(problem).toBe(`${ADD}the login may open erp, Sales 2`);
  expect(seen).toEqual({ opened, asked: expect.stringContaining(asked), closed: 1 });
});

test('a server that cannot be opened or asked, or lists nothing, is told of', async () => {
  const none = `${ADD}those of the server cannot be listed: `;
  const why = `The database refused. Cause: ${cause.message}`;
  expect([await unnamed(SOME, []), await unnamed(SOME, denied)]).toMatchObject([
    { problem: `${ADD}the server lists none that the login may open`, closed: 1 },
    { problem: none + why, closed: 1 },
  ]);
  expect((await unnamed(SOME, denied, true)).problem).toBe(none + why);
  expect(await unnamed('Server=h;Initial Catalog=erp', [])).toEqual({
    ...{ opened: '', asked: '', closed: 0, problem: undefined },
  });
});

describe('same database', () => {
  /** `init --database` into a folder whose configuration names a database. */
  let folder: TestFolder;
  beforeEach(async () => {
    folder = await testFolder();
  });
  afterEach(() => folder.remove());

  async function refusal(own: string, given: string, environment = {}): Promise<string> {
    await folder.write('config.yaml', `database: { ${own}, startupWaitSeconds: 0 }\n`);
    const args = given === '' ? [] : ['--database', given];
    const { code, out, error } = await run(['init', ...args, '--out', folder.path], environment);
    expect([code, out, await readdir(folder.path)]).toEqual([1, '', ['config.yaml']]);
    return error.replaceAll(`${folder.path}/`, '');
  }

  const POSTGRES = 'engine: postgres, url: "postgres://reader:${ENV:PASSWORD}@127.0.0.1:1/erp"';
  const SQL_SERVER = 'engine: sqlserver, host: 127.0.0.1, port: 1, database: ERP, user: reader';

  test.each(rows`
  ${POSTGRES}   | postgres://u:s3cret@127.0.0.1:1/crm | PostgreSQL at 127.0.0.1:1/erp | PostgreSQL at 127.0.0.1:1/crm
  ${POSTGRES}   | Server=127.0.0.1,1;Database=erp;User Id=u;Password=s3cret | PostgreSQL at 127.0.0.1:1/erp | SQL Server at 127.0.0.1:1/erp
  ${SQL_SERVER} | mssql://u:s3cret@127.0.0.1:1/crm | SQL Server at 127.0.0.1:1/ERP | SQL Server at 127.0.0.1:1/crm
  ${SQL_SERVER} | mssql://u:s3cret@127.0.0.1/ERP?instanceName=SQL1 | SQL Server at 127.0.0.1:1/ERP | SQL Server at 127.0.0.1\\SQL1/ERP
`)('beside %s, %s is another one', async (own, given, there, here) => {
    expect(await refusal(own, given)).toBe(
      `entitygate init:\n  --database: config.yaml names ${there}, and this is ${here}: ` +
        'choose another folder with --out, or change the database in config.yaml first\n',
    );
  });

  const away =
    'connect ECONNREFUSED 127.0.0.1:1. Nothing listens there: start the server, or correct host and port.\n';

  test.each(rows`
  ${POSTGRES}   | postgres://u:s3cret@127.0.0.1:1/erp?application_name=init | PostgreSQL at postgres://u:***@127.0.0.1:1/erp?application_name=init
  ${SQL_SERVER} | mssql://u:s3cret@127.0.0.1:1/erp?encrypt=false | SQL Server at 127.0.0.1:1/erp
`)('beside %s, %s is another login', async (own, given, name) => {
    expect(await refusal(own, given)).toBe(
      `entitygate init:\n  --database: ${name} cannot be used: ${away}`,
    );
  });

  test('the environment may name another one', async () => {
    const environment = { ENTITYGATE_DATABASE_URL: 'postgres://u:s3cret@127.0.0.1:1/stage' };
    expect(await refusal(POSTGRES, '', environment)).toBe(
      `entitygate init:\n  ENTITYGATE_DATABASE_URL: PostgreSQL at postgres://u:***@127.0.0.1:1/stage cannot be used: ${away}`,
    );
  });
});

/** A configuration whose password is not set, as init writes it, and the schema that init leaves beside it. */
const folder = await sharedFolder();
const config = await folder.write(
  'config.yaml',
  `mappings: ${resolve('mappings')}
database:
  engine: postgres
  url: postgres://u:\${ENV:ENTITYGATE_DATABASE_PASSWORD}@127.0.0.1:1/d
`,
);
await copyFile(fileURLToPath(snapshots.postgres), `${folder.path}/schema.json`);

const commands = [
  ['sql', ['Company?$top=1'], /^-- the page\n/],
  ['openapi', [], /^\{\n {2}"openapi": /],
  ['types', [], /^\/\* eslint-disable \*\//],
] as const;

test.each(commands)(
  '%s reads schema.json beside the configuration, without a password',
  async (name, args, printed) => {
    expect(await run([name, ...args, '--config', config])).toEqual({
      code: 0,
      out: expect.stringMatching(printed),
      error: `Reading the schema from ${folder.path}/schema.json; --live reads it from the database.\n`,
    });
  },
);

test.each(commands)('%s --live reads the database', async (name, args) => {
  const live = [name, ...args, '--config', config, '--live'];
  expect(await run(live)).toEqual({
    code: 1,
    out: '',
    error: `entitygate ${name}:\n  ${config}:4:8: the environment variable ENTITYGATE_DATABASE_PASSWORD is not set\n`,
  });
  expect(await run(live, { ENTITYGATE_DATABASE_PASSWORD: 'geheim' })).toEqual({
    code: 1,
    out: '',
    error: expect.stringContaining('ECONNREFUSED'),
  });
});

test('--schema-file goes before the file beside the configuration', async () => {
  const args = ['sql', 'Company', '--config', config, '--schema-file'];
  expect(await run([...args, `${folder.path}/none.json`])).toEqual({
    code: 1,
    out: '',
    error: `entitygate sql:\n  ${folder.path}/none.json: there is no such file\n`,
  });
  expect(await run([...args, 'x.json', '--live'])).toEqual({
    code: 2,
    out: '',
    error: '--live and --schema-file exclude each other. See "entitygate sql --help".\n',
  });
});

test.each(commands)('%s says how old a schema is that lacks what is mapped', async (name, args) => {
  const older = await testFolder();
  const mappings = await older.write('mappings/a.yaml', 'table: HR.NEW\n');
  await older.write('mappings/f.yaml', 'functions: { f: { routine: HR.NEW_P } }\n');
  const own = await older.write(
    'config.yaml',
    'mappings: mappings\ndatabase: { engine: postgres, url: postgres://127.0.0.1:1/d }\n',
  );
  const schema = await older.write(
    'schema.json',
    '{"dialect":"postgres","version":null,"tables":[],"routines":[]}',
  );
  await utimes(schema, 0, new Date('2026-03-05T23:00:00Z'));
  try {
    const { code, error } = await run([name, ...args, '--config', own]);
    expect([code, error.split('\n').slice(2)]).toEqual([
      1,
      [
        `  ${mappings}:1:8: ${schema} has no table HR.NEW.`,
        `  ${older.path}/mappings/f.yaml:1:28: ${schema} has no procedure or function HR.NEW_P.`,
        `  ${schema}: holds the schema of 2026-03-05, and the database may have changed since. --live reads the database; "entitygate schema > ${schema}" writes the file anew`,
        '',
      ],
    ]);
  } finally {
    await older.remove();
  }
});
