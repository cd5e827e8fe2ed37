import { StartupError } from '../base/errors.ts';
import { sqlServerSchemaQueries, type SqlServerSchemaRows } from '../schema/sqlserver-rows.ts';
import { readSqlServerSchema } from '../schema/sqlserver.ts';
import type { Dialect, DialectSettings } from '../sql/dialect.ts';
import { tsqlDialect } from '../sql/tsql/dialect.ts';
import type { SqlServerConfig } from '../config/config.ts';
import type { Database } from './database.ts';
import { begin, change, reader } from './sqlserver-connection.ts';
import { Pools } from './sqlserver-pools.ts';
import { connectionTarget, type SqlServerTarget } from './sqlserver-url.ts';
import { connectPatiently, reason, type OnWait } from './wait.ts';
import { inTransaction } from './work.ts';

/**
 * Opens a pool of connections to a SQL Server, or to what speaks TDS and T-SQL like one.
 * @throws StartupError when the server cannot be reached or refuses the login
 */
export async function openSqlServer(
  config: SqlServerConfig,
  settings: DialectSettings,
  onWait: OnWait = () => undefined,
): Promise<Database> {
  const target = readTarget(config);
  const dialect = readDialect(settings);
  const pools = new Pools(target, config);
  try {
    await connectPatiently(() => pools.connect(), {
      name: `SQL Server at ${target.server}`,
      seconds: config.startupWaitSeconds,
      mayPass: (error) =>
        ['ESOCKET', 'ETIMEOUT'].includes(String((error as { code?: unknown }).code)),
      onWait,
    });
  } catch (error) {
    throw new StartupError([
      {
        where: 'database',
        message: `SQL Server at ${target.server} cannot be used: ${withAdvice(reason(error))}`,
      },
    ]);
  }
  const query = reader(pools.reading);
  const [found] = await query('SELECT @@VERSION', []);
  return {
    dialect,
    version: String(found?.[0]),
    query,
    primary: {
      query: async (text, values) => reader(await pools.primary())(text, values),
      change: async (text, values) => change(await pools.primary(), text, values),
    },
    transaction: async (work) => inTransaction(await begin(await pools.primary()), work),
    introspect: async () => {
      const results = await Promise.all(
        Object.entries(sqlServerSchemaQueries).map(
          async ([name, text]) => [name, await query(text, [])] as const,
        ),
      );
      return readSqlServerSchema(Object.fromEntries(results) as unknown as SqlServerSchemaRows);
    },
    ping: async () => {
      await query('SELECT 1', []);
    },
    close: () => pools.close(),
  };
}

function readTarget(config: SqlServerConfig): SqlServerTarget {
  try {
    return connectionTarget(config);
  } catch (error) {
    throw new StartupError([{ where: 'database.url', message: (error as Error).message }]);
  }
}

/** A certificate of the server's own is what most servers have, and what the driver does not take. */
function withAdvice(message: string): string {
  return /certificate/i.test(message)
    ? `${message}. NODE_EXTRA_CA_CERTS=FILE trusts its authority; trustServerCertificate=true takes it unchecked.`
    : message;
}

function readDialect(settings: DialectSettings): Dialect {
  try {
    return tsqlDialect(settings);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new StartupError([{ where: 'timeZone', message: error.message }]);
  }
}
