import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { PostgreSqlContainer } from '@testcontainers/postgresql';
import pg from 'pg';
import { serverOrDocker, serverUrl } from './server.ts';
import type { OpenTarget, Target } from './target.ts';

const VARIABLE = 'ENTITYGATE_TEST_POSTGRES_URL';

/** A PostgreSQL server: the one that the environment names, else one in a container. */
export const postgresTarget: Target = {
  name: 'PostgreSQL',
  unavailable: serverOrDocker(VARIABLE),
  open: async () => {
    const script = await readFile('test/fixtures/legacy/legacy.postgres.sql.gz');
    return openPostgresDatabase(gunzipSync(script).toString('utf8'));
  },
  ignoresCase: false,
  skip: [],
};

/** Makes a database of its own on the server that the target is, and runs a script in it. */
export async function openPostgresDatabase(script: string): Promise<OpenTarget> {
  const url = serverUrl(VARIABLE);
  if (url !== undefined) return openDatabase(url, script);
  const container = await new PostgreSqlContainer('postgres:17-alpine').start();
  const opened = await openDatabase(container.getConnectionUri(), script);
  return {
    ...opened,
    close: async () => {
      await opened.close();
      await container.stop();
    },
  };
}

/** A database of its own on the server, dropped afterwards. */
async function openDatabase(server: string, script: string): Promise<OpenTarget> {
  const name = `entitygate_test_${randomBytes(6).toString('hex')}`;
  await execute(server, `CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const drop = (): Promise<void> => execute(server, `DROP DATABASE ${name} WITH (FORCE)`);
  try {
    await execute(url.href, script);
  } catch (error) {
    await drop();
    throw error;
  }
  return {
    database: {
      engine: 'postgres',
      url: url.href,
      poolSize: 4,
      statementTimeoutSeconds: 30,
      connectTimeoutSeconds: 5,
      startupWaitSeconds: 0,
    },
    close: drop,
  };
}

async function execute(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
