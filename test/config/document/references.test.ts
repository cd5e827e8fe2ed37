import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/load.ts';

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
