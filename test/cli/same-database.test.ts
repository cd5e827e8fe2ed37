import { readdir } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { testFolder, type TestFolder } from '../config/files.ts';
import { run } from './run.ts';
import { rows } from '../rows.ts';

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
  ${POSTGRES}   | postgres://u:s3cret@127.0.0.1/erp | PostgreSQL at 127.0.0.1:1/erp | PostgreSQL at 127.0.0.1:5432/erp
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
