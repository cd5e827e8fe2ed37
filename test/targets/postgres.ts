import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { ownName } from './own-name.ts';
import { neededUrl, needsServer, POSTGRES_URL, SERVER_SETTINGS } from './server.ts';
import type { OpenTarget, Target } from './target.ts';

/** A PostgreSQL server: the one that the environment names. */
export const postgresTarget: Target = {
  engine: 'postgres',
  name: 'PostgreSQL',
  unavailable: needsServer(POSTGRES_URL),
  open: async () => {
    const script = await readFile('sample.sql.gz');
    // How a statement is run depends on what the server knows of its tables.
    return openPostgresDatabase(`${gunzipSync(script).toString('utf8')}\nANALYZE;\n`);
  },
  skip: [],
};

/** Makes a database of its own on the server that the target is, dropped afterwards, and runs a script in it. */
export async function openPostgresDatabase(script: string): Promise<OpenTarget> {
  const server = neededUrl(POSTGRES_URL);
  const name = ownName();
  await executeScript(server, `CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  // To compile a statement takes the server seconds where its plan looks costly, and the rows are few.
  await executeScript(server, `ALTER DATABASE ${name} SET jit = off`);
  const drop = (): Promise<void> => executeScript(server, `DROP DATABASE ${name} WITH (FORCE)`);
  try {
    await executeScript(url.href, script);
  } catch (error) {
    await drop();
    throw error;
  }
  return {
    database: {
      engine: 'postgres',
      url: url.href,
      ...SERVER_SETTINGS,
      preparedStatements: true,
    },
    close: drop,
  };
}

/** Runs statements on a connection of their own. */
export async function executeScript(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
