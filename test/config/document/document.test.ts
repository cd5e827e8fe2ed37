import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../../src/config/load.ts';
import { schemaFiles } from '../../schemas.ts';
import { sharedFolder } from '../files.ts';

describe('references in the configuration', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'entitygate-references-'));
    await writeFile(join(folder, 'password'), 'p@ss/w:rd#1\n');
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function load(text: string, environment: NodeJS.ProcessEnv = {}): Promise<unknown> {
    const path = join(folder, 'config.yaml');
    await writeFile(path, text);
    return (await loadConfig(path, environment)).database;
  }

  const timeouts = {
    poolSize: 8,
    statementTimeoutSeconds: 30,
    lockTimeoutSeconds: 10,
    connectTimeoutSeconds: 15,
    startupWaitSeconds: 30,
    schemaTimeoutSeconds: 600,
  };

  test('are encoded inside a URL', async () => {
    const text =
      'database: { engine: postgres, url: "postgres://${ENV:DB_USER}:${FILE:password}@db/erp" }\n';
    expect(await load(text, { DB_USER: 'o’hara' })).toEqual({
      ...timeouts,
      engine: 'postgres',
      preparedStatements: true,
      url: 'postgres://o%E2%80%99hara:p%40ss%2Fw%3Ard%231@db/erp',
      connectTimeoutSeconds: 5,
    });
  });

  test('are the value itself elsewhere', async () => {
    const text =
      'database:\n  engine: sqlserver\n  host: ${ENV:DB_HOST}\n  user: gateway\n  password: ${FILE:password}\n';
    expect(await load(text, { DB_HOST: 'db.example' })).toEqual({
      ...timeouts,
      engine: 'sqlserver',
      host: 'db.example',
      user: 'gateway',
      password: 'p@ss/w:rd#1',
    });
  });

  test.each([
    ['Server=h;Password=${ENV:PW};Database=d', 'Server=h;Password="a;""b\'c";Database=d'],
    ['Server=h;Password="${ENV:PW}"', 'Server=h;Password="a;""b\'c"'],
    ["Server=h;Password='${ENV:PW}'", "Server=h;Password='a;\"b''c'"],
    ['User Id="a=";Password=x${ENV:PW}', 'User Id="a=";Password=xa;;"b\'c'],
  ])('are quoted inside a connection string: %s', async (text, url) => {
    const config = `database:\n  engine: sqlserver\n  url: ${JSON.stringify(text)}\n`;
    expect(await load(config, { PW: `a;"b'c` })).toEqual({ ...timeouts, engine: 'sqlserver', url });
  });

  test('are not needed where the environment’s URL stands for the connection', async () => {
    const text =
      'database:\n  engine: postgres\n  url: "${ENV:ERP_URL}"\n  connectTimeoutSeconds: 7\n';
    expect(await load(text, { ENTITYGATE_DATABASE_URL: 'postgres://u:p@other/erp' })).toEqual({
      ...timeouts,
      preparedStatements: true,
      engine: 'postgres',
      url: 'postgres://u:p@other/erp',
      connectTimeoutSeconds: 7,
    });
  });

  test('that lead nowhere are told all at once, with their lines', async () => {
    const text = 'application: ${ENV:NAME}\nmappings: ${FILE:nothing}\n';
    await expect(load(text)).rejects.toThrow(
      `${join(folder, 'config.yaml')}:1:14: the environment variable NAME is not set\n` +
        `${join(folder, 'config.yaml')}:2:11: nothing: there is no such file`,
    );
  });

  test('a SQL Server is said either by URL or by host', async () => {
    await expect(load('database: { engine: sqlserver }\n')).rejects.toThrow(
      'says where the server is: either by url or by host',
    );
  });

  test('the environment’s URL stands for all of the file’s fields', async () => {
    const text =
      'database: { engine: sqlserver, host: a, user: b, password: c, poolSize: 3, readOnlyIntent: true }\n';
    expect(await load(text, { ENTITYGATE_DATABASE_URL: 'mssql://u:p@other/erp' })).toEqual({
      ...timeouts,
      engine: 'sqlserver',
      poolSize: 3,
      url: 'mssql://u:p@other/erp',
    });
  });
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

const folder = await sharedFolder();

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
