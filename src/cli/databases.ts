import { readFile } from 'node:fs/promises';
import { openDatabase } from '../app.ts';
import { StartupError } from '../base/errors.ts';
import { gatewayContext } from '../base/observe/observer.ts';
import { type Config, configSchema } from '../config/config.ts';
import { checkOverride, type DatabaseOverride, loadConfig } from '../config/load.ts';
import { variablesIn } from '../config/document/references.ts';
import { displayPath } from '../config/document/text-file.ts';
import type { Database } from '../database/database.ts';
import { atSetting } from '../generation.ts';
import { plainStatement } from '../sql/ir/statement.ts';
import { databaseIn, withDatabase } from './init/config-text.ts';
import { type CommandIo, withProgress } from './io.ts';
import { type LiveSchema, readLiveSchema } from './schema.ts';

/** The database that every server has, and the statement that lists those that the login may open. */
const SERVERS = {
  postgres: {
    start: 'postgres',
    list:
      'SELECT datname::text FROM pg_catalog.pg_database WHERE datallowconn AND NOT datistemplate' +
      " AND has_database_privilege(oid, 'CONNECT') ORDER BY datname",
  },
  // https://learn.microsoft.com/sql/t-sql/functions/has-dbaccess-transact-sql
  sqlserver: {
    start: 'master',
    list:
      "SELECT name FROM sys.databases WHERE HAS_DBACCESS(name) = 1 AND name NOT IN ('master', 'model', 'msdb', 'tempdb')" +
      ' ORDER BY name',
  },
} as const;

/**
 * Lists the databases of a server that the login may open; null where the setting names one.
 * @param open opens the database that every server has; tests pass their own
 * @throws StartupError when the server cannot be asked
 */
export async function databasesOf(
  { name, database: setting }: DatabaseOverride,
  io: CommandIo,
  open: (config: Config) => Promise<Pick<Database, 'run' | 'close'>> = openDatabase,
): Promise<readonly string[] | null> {
  if (setting.engine === 'pglite' || databaseIn(setting.url) !== null) return null;
  const { start, list } = SERVERS[setting.engine];
  const database = { ...setting, url: withDatabase(setting.url, start) };
  checkOverride({ name, database });
  const config = configOfDatabase({ name, database: { ...database, startupWaitSeconds: 0 } });
  return atSetting(config, () =>
    withProgress(io, 'Asking the server for its databases', async () => {
      const opened = await open(config);
      try {
        const command = { statement: plainStatement(list), values: [] };
        const { rows } = await opened.run(command, gatewayContext);
        return rows.map(([found]) => String(found));
      } finally {
        await opened.close();
      }
    }),
  );
}

/**
 * Refuses a URL or a connection string without the name of a database: it would mean the server's own, or the login's.
 * @throws StartupError with the databases that the login may open, or the reason why they cannot be listed
 */
export async function checkDatabaseNamed(
  given: DatabaseOverride,
  io: CommandIo,
  open?: Parameters<typeof databasesOf>[2],
): Promise<void> {
  const names = await databasesOf(given, io, open).catch((error: unknown) => {
    if (!(error instanceof StartupError)) throw error;
    const reason = error.problems[0]?.message ?? '';
    throw StartupError.at(
      given.name,
      `add the name of the database; those of the server cannot be listed: ${reason}`,
    );
  });
  if (names === null) return;
  const message =
    names.length === 0
      ? 'add the name of the database; the server lists none that the login may open'
      : `add the name of the database; the login may open ${names.join(', ')}`;
  throw StartupError.at(given.name, message);
}

/**
 * Refuses a database that is not the configuration's own: files for the one would get what the other has. Login and parameters may differ.
 * @param path the configuration
 * @throws StartupError under the name by which the database was given
 */
export async function checkSameDatabase(
  path: string,
  given: DatabaseOverride,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  checkOverride(given);
  const own = await withoutSecrets(path, environment);
  if (own === null) return;
  const [there, here] = [await addressOf(own), await addressOf(configOfDatabase(given))];
  const isSame =
    own.database.engine === 'sqlserver'
      ? there.toLowerCase() === here.toLowerCase()
      : there === here;
  if (isSame) return;
  const file = displayPath(path);
  const message = `${file} names ${there}, and this is ${here}: choose another folder with --out, or change the database in ${file} first`;
  throw StartupError.at(given.name, message);
}

/** Reads a configuration whose environment variables need not be set; null where it cannot be read. */
async function withoutSecrets(
  path: string,
  environment: NodeJS.ProcessEnv,
): Promise<Config | null> {
  const names = variablesIn(await readFile(path, 'utf8'));
  // As long as the longest secret has to be.
  const unset = Object.fromEntries(names.map((name) => [name, 'x'.repeat(64)]));
  const settings = { ...unset, ...environment, ENTITYGATE_DATABASE_URL: '' };
  return loadConfig(path, settings).catch((error: unknown) => {
    if (error instanceof StartupError) return null;
    throw error;
  });
}

/** Names the server of a database and the database for messages, without the login. */
function addressOf(config: Config): Promise<string> {
  const { database } = config;
  return atSetting(config, async () => {
    switch (database.engine) {
      case 'pglite':
        return `the embedded database in ${displayPath(database.directory)}`;
      case 'postgres': {
        const { hostname, port } = new URL(database.url);
        const name = databaseIn(database.url) ?? '';
        return `PostgreSQL at ${hostname.toLowerCase()}:${port === '' ? '5432' : port}/${name}`;
      }
      case 'sqlserver': {
        const { readTarget } = await import('../database/sqlserver/open.ts');
        const { targetName } = await import('../database/sqlserver/url.ts');
        return targetName(readTarget(database));
      }
    }
  });
}

/** Makes a configuration with the defaults of everything but the database. */
export function configOfDatabase({
  name,
  database,
}: DatabaseOverride & { readonly database: { readonly startupWaitSeconds?: number } }): Config {
  return {
    ...configSchema.parse({ database }),
    locate: (setting) => (setting.startsWith('database') ? name : setting),
  };
}

/** Reads the schema of a database. @throws StartupError when it cannot be opened, or has no tables */
export async function readTables(config: Config, io: CommandIo): Promise<LiveSchema> {
  const live = await readLiveSchema(config, io);
  if (live.schema.tables.length > 0) return live;
  const message =
    'the database has no table or view that the login may read; grant it SELECT, or name another database';
  throw StartupError.at(config.locate('database'), message);
}
