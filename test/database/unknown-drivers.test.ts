import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { query } from '../targets/sql.ts';
import { startTdsEndpoint } from './sqlserver/tds-endpoint.ts';
import { changeLogin, changePg, changeTedious, loaded } from './unknown-drivers.ts';
import { SERVER_SETTINGS } from '../targets/server.ts';

const said: string[] = [];
const warn = (message: string): unknown => said.push(message);
const undone: (() => unknown)[] = [];
beforeEach(() => {
  vi.resetModules();
  said.length = 0;
});
afterEach(async () => {
  for (const undo of undone.splice(0).reverse()) await undo();
});

const pgClass = async (): Promise<string> => {
  const { clientClass } = await import('../../src/database/postgres/driver-internals.ts');
  return clientClass(warn).name;
};
const checkTedious = async (): Promise<boolean> => {
  const { checkDriver } = await import('../../src/database/sqlserver/driver-check.ts');
  return checkDriver(warn);
};

/** Opens a server that is scripted, and reads two rows. */
async function readScripted(): Promise<unknown> {
  const { openSqlServer } = await import('../../src/database/sqlserver/open.ts');
  const endpoint = await startTdsEndpoint(() => ({ kind: 'rows', values: [7, 8] }));
  undone.push(endpoint.close);
  const database = await openSqlServer(
    {
      engine: 'sqlserver',
      url: `mssql://sa:secret@127.0.0.1:${endpoint.port}/legacy?encrypt=false`,
      ...SERVER_SETTINGS,
      poolSize: 1,
      statementTimeoutSeconds: 5,
    },
    { timeZone: 'UTC', bigNumbersAsStrings: false },
    warn,
  );
  undone.push(database.close);
  return query(database, 'SELECT n FROM t');
}

test('another version that is the same inside makes no difference', async () => {
  for (const name of ['pg', 'tedious', 'mssql']) {
    const { exports } = loaded(`${name}/package.json`) as { exports: { version: string } };
    const { version } = exports;
    exports.version = '99.0.1';
    undone.push(() => {
      exports.version = version;
    });
  }
  expect(await pgClass()).toBe('RowClient');
  expect(await checkTedious()).toBe(true);
  expect(await readScripted()).toEqual([[7], [8]]);
  expect(said).toEqual([]);
});

test('a pg that is another inside reads rows itself', async () => {
  undone.push(changePg());
  expect(await pgClass()).toBe('PlainClient');
  expect(said).toEqual(['this version of pg is unknown: it reads rows itself, which takes longer']);
});

test('a tedious that is another inside reads rows itself', async () => {
  undone.push(changeTedious());
  expect(await readScripted()).toEqual([[7], [8]]);
  expect(said).toEqual([
    'this version of tedious is unknown: it reads rows itself, which takes longer',
  ]);
});

test('a tedious that would send the login in plain text is refused', async () => {
  undone.push(changeLogin());
  await expect(checkTedious()).rejects.toThrow(
    'this version of tedious would send the login without TLS',
  );
});
