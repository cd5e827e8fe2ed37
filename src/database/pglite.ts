import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { PGlite } from '@electric-sql/pglite';
import type { PgliteConfig } from '../config/config.ts';
import { StartupError } from '../base/errors.ts';
import { postgresSchemaQuery, readPostgresSchema } from '../schema/postgres.ts';
import type { BoundParameter, DialectSettings } from '../sql/dialect.ts';
import type { Database, Row } from './database.ts';
import { dialectFor, postgresError, sessionSettings, versionQuery } from './postgres-session.ts';

const BOOLEAN_OID = 16;
const BYTEA_OID = 17;

/**
 * Opens the embedded database: PostgreSQL in this process, one session, its files in a folder. A folder that does not
 * exist yet is made and filled from the seed script beside its final place and moved there once complete, so that an
 * interrupted first start leaves nothing half made.
 * @throws StartupError when the folder cannot be made, is in use, or the seed script fails
 */
export async function openPglite(
  config: PgliteConfig,
  settings: DialectSettings,
): Promise<Database> {
  const inMemory = config.directory === 'memory:';
  if (!inMemory && !existsSync(config.directory)) await seedFolder(config);
  const db = await start(inMemory ? undefined : config.directory);
  if (inMemory && config.seed !== undefined) await runScript(db, config.seed);
  for (const [name, value] of Object.entries(sessionSettings)) {
    await db.query('SELECT set_config($1, $2, false)', [name, value]);
  }
  const identity = (value: string): string => value;
  const options = {
    rowMode: 'array',
    parsers: Object.fromEntries(Object.keys(db.parsers).map((oid) => [oid, identity])),
    serializers: { [BOOLEAN_OID]: String, [BYTEA_OID]: String },
  } as const;
  let closed = false;
  const query = async (
    text: string,
    values: readonly BoundParameter[],
  ): Promise<readonly Row[]> => {
    try {
      const result = await db.query<unknown[]>(
        text,
        values.map(({ value }) => value),
        options,
      );
      return result.rows;
    } catch (error) {
      throw postgresError(error);
    }
  };
  const [found] = await query(versionQuery, []);
  const [number, , version] = found as [string, string, string];
  return {
    dialect: dialectFor(number, settings),
    version,
    query,
    introspect: async () => {
      const rows = await query(postgresSchemaQuery, []);
      return readPostgresSchema(rows[0]?.[0] as string);
    },
    ping: async () => {
      await query('SELECT 1', []);
    },
    close: async () => {
      if (closed) return;
      closed = true;
      await db.close();
    },
  };
}

async function start(directory: string | undefined): Promise<PGlite> {
  try {
    return await PGlite.create(directory === undefined ? {} : { dataDir: directory });
  } catch (error) {
    throw new StartupError([
      {
        where: 'database.directory',
        message:
          `the embedded database in ${directory ?? 'memory'} does not start: ${String(error)}. ` +
          'Another process may be using it; if it is damaged, remove the folder and start again.',
      },
    ]);
  }
}

async function seedFolder(config: PgliteConfig): Promise<void> {
  const unfinished = `${config.directory}.new-${process.pid}`;
  try {
    await mkdir(dirname(config.directory), { recursive: true });
    const db = await start(unfinished);
    if (config.seed !== undefined) await runScript(db, config.seed);
    await db.close();
    await rename(unfinished, config.directory);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    if (error instanceof StartupError) throw error;
    throw new StartupError([
      {
        where: 'database.directory',
        message: `the embedded database cannot be made in ${config.directory}: ${(error as Error).message}`,
      },
    ]);
  }
}

async function runScript(db: PGlite, path: string): Promise<void> {
  try {
    const bytes = await readFile(path);
    const script = path.endsWith('.gz') ? await promisify(gunzip)(bytes) : bytes;
    await db.exec(script.toString('utf8'));
  } catch (error) {
    throw new StartupError([
      { where: 'database.seed', message: `${path}: ${(error as Error).message}` },
    ]);
  }
}
