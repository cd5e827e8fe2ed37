import { readdir, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../../src/config/load.ts';
import { schemaFiles } from '../../schemas.ts';
import { configProblems, sharedFolder } from '../files.ts';

const folder = await sharedFolder();
await folder.write('password', 'p@ss/w:rd#1\n');

const database = async (text: string, environment: NodeJS.ProcessEnv): Promise<unknown> =>
  (await loadConfig(await folder.write('config.yaml', `database: ${text}`), environment)).database;

test.each([
  [
    'postgres://${ENV:DB_USER}:${FILE:password}@db/erp',
    'postgres://o%E2%80%99hara:p%40ss%2Fw%3Ard%231@db/erp',
  ],
  ['Server=h;Password=${ENV:PW};Database=d', 'Server=h;Password="a;""b\'c";Database=d'],
  ['Server=h;Password="${ENV:PW}"', 'Server=h;Password="a;""b\'c"'],
  ["Server=h;Password='${ENV:PW}'", "Server=h;Password='a;\"b''c'"],
  ['User Id="a=";Password=x${ENV:PW}', 'User Id="a=";Password=xa;;"b\'c'],
])('references are encoded or quoted inside %s', async (text, url) => {
  const engine = text.startsWith('postgres') ? 'postgres' : 'sqlserver';
  const environment = { DB_USER: 'o’hara', PW: `a;"b'c` };
  const given = `{ engine: ${engine}, url: ${JSON.stringify(text)} }`;
  expect(await database(given, environment)).toMatchObject({ url });
});

test('references are the value itself elsewhere', async () => {
  const text =
    '{ engine: sqlserver, host: "${ENV:DB_HOST}", user: gateway, password: "${FILE:password}" }';
  expect(await database(text, { DB_HOST: 'db.example' })).toMatchObject({
    ...{ host: 'db.example', user: 'gateway', password: 'p@ss/w:rd#1' },
  });
});

test.each([
  [
    '{ engine: postgres, url: "${ENV:NOT_SET}", connectTimeoutSeconds: 7, poolSize: 3 }',
    { engine: 'postgres', url: 'postgres://u:p@other/erp', preparedStatements: true },
    { connectTimeoutSeconds: 7, poolSize: 3 },
  ],
  [
    '{ engine: sqlserver, host: a, user: b, password: c, readOnlyIntent: true }',
    { engine: 'sqlserver', url: 'mssql://u:p@other/erp' },
    { connectTimeoutSeconds: 15, poolSize: 8 },
  ],
])('the environment’s URL stands for all of %s', async (text, connection, more) => {
  expect(await database(text, { ENTITYGATE_DATABASE_URL: connection.url })).toEqual({
    ...{ ...connection, ...more, statementTimeoutSeconds: 30, lockTimeoutSeconds: 10 },
    ...{ startupWaitSeconds: 30, schemaTimeoutSeconds: 600 },
  });
});

test('references that lead nowhere are told all at once, with their lines', async () => {
  const text = 'application: ${ENV:NAME}\nmappings: ${FILE:nothing}\n';
  expect(await configProblems(folder, text)).toEqual([
    'config.yaml:1:14: the environment variable NAME is not set',
    'config.yaml:2:11: nothing: there is no such file',
  ]);
});

describe('the published JSON Schemas', async () => {
  test.each([...(await schemaFiles())])(
    '%s is what `npm run schemas` writes',
    async (path, text) => {
      expect(await readFile(path, 'utf8')).toBe(text);
    },
  );

  test('the pages that list settings have short lines there', async () => {
    const pages = [...(await schemaFiles())].filter(([path]) => path.endsWith('.md'));
    const lists = pages.flatMap(
      ([, text]) => text.match(/^<!-- settings: [^]*?^<!-- end -->/gm) ?? [],
    );
    expect(lists.length).toBeGreaterThan(5);
    expect(lists.flatMap((list) => list.split('\n')).filter(({ length }) => length > 120)).toEqual(
      [],
    );
  });

  test('config.yaml and the mapping files name theirs in the first line', async () => {
    const mappings = (await readdir('mappings')).map((name) => `mappings/${name}`);
    for (const path of ['config.yaml', ...mappings]) {
      const [first] = (await readFile(path, 'utf8')).split('\n', 1);
      expect(`${path} ${first ?? ''}`).toBe(
        path === 'config.yaml'
          ? `${path} # yaml-language-server: $schema=schemas/config.schema.json`
          : `${path} # yaml-language-server: $schema=../schemas/mapping.schema.json`,
      );
    }
  });
});

interface ComposeFile {
  readonly services: Readonly<Record<string, { readonly environment?: Record<string, string> }>>;
  readonly configs: Readonly<Record<string, { readonly content: string }>>;
}

test('compose.yaml serves SQL Server', async () => {
  const environment = { ENTITYGATE_DATABASE_PASSWORD: 'secret' };
  const { database } = await loadConfig(resolve('compose.config.yaml'), environment);
  expect(database).toMatchObject({ engine: 'sqlserver', host: 'database', password: 'secret' });
});

test('the gateways of compose.instances.yaml share a state, and trust nginx', async () => {
  const text = await readFile('compose.instances.yaml', 'utf8');
  const { services, configs } = parse(text, { merge: true }) as ComposeFile;
  const { 'gateway-1': one, 'gateway-2': other } = services;
  expect(one).toEqual(other);
  const path = await folder.write(
    'config.yaml',
    (configs['gateway']?.content ?? '').replaceAll('$$', '$'),
  );
  const environment = {
    ...one?.environment,
    ENTITYGATE_DATABASE_PASSWORD: 'secret',
  };
  const { database, state, server } = await loadConfig(path, environment);
  expect([database, state, server]).toMatchObject([
    { engine: 'postgres', url: 'postgres://gateway:secret@database:5432/legacy' },
    { url: 'valkey://store:6379' },
    { host: '0.0.0.0', allowUnauthenticated: true, trustedProxies: expect.any(Array) as unknown },
  ]);
  const upstreams = configs['nginx']?.content.match(/(?<=server )gateway-\d/g);
  expect(upstreams).toEqual(Object.keys(services).filter((name) => name.startsWith('gateway-')));
});
