import { openDatabase } from '../app.ts';
import { gatewayContext } from '../base/observe/observer.ts';
import { configSchema } from '../config/config.ts';
import { checkOverride, type DatabaseOverride } from '../config/load.ts';
import { atSetting } from '../generation.ts';
import { plainStatement } from '../sql/ir/statement.ts';
import { databaseIn, withDatabase } from './init/config-text.ts';
import { type CommandIo, withProgress } from './io.ts';

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

/** Lists the databases of a server that the login may open; null where the setting names one. @throws StartupError when the server cannot be asked */
export async function databasesOf(
  { name, database: setting }: DatabaseOverride,
  io: CommandIo,
): Promise<readonly string[] | null> {
  if (setting.engine === 'pglite' || databaseIn(setting.url) !== null) return null;
  const { start, list } = SERVERS[setting.engine];
  const database = { ...setting, url: withDatabase(setting.url, start) };
  checkOverride({ name, database });
  const config = {
    ...configSchema.parse({ database: { ...database, startupWaitSeconds: 0 } }),
    locate: () => name,
  };
  return atSetting(config, () =>
    withProgress(io, 'Asking the server for its databases', async () => {
      const opened = await openDatabase(config);
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
