import { reason, StartupError } from '../../base/errors.ts';
import type { SqlServerConfig } from '../../config/config.ts';
import { unattended } from '../../base/observe/observer.ts';
import { readSqlServerCatalog } from '../../schema/sqlserver/catalog.ts';
import { readSqlServerSchema } from '../../schema/sqlserver/introspect.ts';
import type { DialectSettings } from '../../sql/dialect.ts';
import { plainStatement } from '../../sql/statement.ts';
import { tsqlDialect } from '../../sql/tsql/dialect.ts';
import type { Database } from '../database.ts';
import type { Driver } from '../driver.ts';
import { dedicatedConnection, pooledDatabase } from '../pooled.ts';
import { checkSessionContext } from '../context-lender.ts';
import { connectRetrying, mayPass, type OnWait } from '../wait.ts';
import { loginError, sqlServerErrors } from './errors.ts';
import { loginMessagesOf } from './new-connection.ts';
import { SqlServerPools } from './pools.ts';
import type { SqlServerTarget } from './connection-string.ts';
import { sqlServerContext } from './session-context.ts';
import { connectionTarget } from './url.ts';

/**
 * Asks for the engine's version string, the database's compatibility level, and whether its reads are of snapshots.
 * https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-databases-transact-sql
 */
export const VERSION_AND_LEVEL =
  'SELECT @@VERSION, compatibility_level, is_read_committed_snapshot_on' +
  ' FROM (SELECT DB_ID() AS id) own LEFT JOIN sys.databases ON database_id = id';

/** The level that OPENJSON needs: https://learn.microsoft.com/sql/t-sql/functions/openjson-transact-sql */
const LOWEST = 130;

/** What is wrong with a database's compatibility level, with the mend, or null; levels of what is not a SQL Server say nothing. */
export function levelProblem(version: string, level: unknown): string | null {
  const isSqlServer = version.startsWith('Microsoft SQL');
  if (!isSqlServer || typeof level !== 'number' || level >= LOWEST) return null;
  return (
    `the database has compatibility level ${level}, and the gateway needs at least ${LOWEST}: ` +
    `ALTER DATABASE CURRENT SET COMPATIBILITY_LEVEL = ${LOWEST}, on SQL Server 2016 or later`
  );
}

/**
 * What would serve everybody better, in sentences without a full stop. Where reads are not snapshots they wait for whoever writes, and
 * the gateway's own wait for a legacy program's long transactions.
 * https://learn.microsoft.com/sql/t-sql/statements/alter-database-transact-sql-set-options#read_committed_snapshot
 * @param isSnapshot what `is_read_committed_snapshot_on` says; anything but a boolean says nothing
 */
export function lockingAdvice(isSnapshot: unknown): readonly string[] {
  return isSnapshot === false
    ? [
        'is_read_committed_snapshot_on is 0: reads wait for writes, and writes for reads. ' +
          'ALTER DATABASE CURRENT SET READ_COMMITTED_SNAPSHOT ON lets neither wait for the other',
      ]
    : [];
}

/**
 * Opens a pool of connections to a SQL Server, or to what speaks TDS and T-SQL like one.
 * @throws StartupError when the server cannot be reached, refuses the login, or the database's compatibility level is too low
 */
export async function openSqlServer(
  config: SqlServerConfig,
  settings: DialectSettings,
  onWait: OnWait = () => undefined,
): Promise<Database> {
  const target = readTarget(config);
  const dialect = tsqlDialect(settings);
  const pools = new SqlServerPools(target, config);
  try {
    await connectRetrying(() => pools.reading.connect(), {
      name: `SQL Server at ${target.server}`,
      seconds: config.startupWaitSeconds,
      isTransient: (error) => {
        const { code } = error as { code?: unknown };
        const isSilent = code === 'ESOCKET' || code === 'ETIMEOUT';
        const refusal = loginError(loginMessagesOf(error));
        return isSilent || (refusal !== null && mayPass(refusal));
      },
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
  const { reading, writing } = pools;
  const driver: Driver = {
    reading,
    writing,
    connectBeside: (onLost) => pools.beside(target, onLost),
    errors: sqlServerErrors,
    textEncoding: 'utf16le',
    limits: {
      statement: config.statementTimeoutSeconds * 1000,
      cancelRead: 1000,
      // A large rollback takes its time.
      cancelWrite: 5000,
    },
    sessionContext: sqlServerContext(config),
    introspect,
    close: () => pools.close(),
  };
  const database = pooledDatabase(driver);
  try {
    const { rows } = await database.run(
      { statement: plainStatement(VERSION_AND_LEVEL), values: [] },
      unattended,
    );
    const [[version, level, isSnapshot] = []] = rows;
    const problem = levelProblem(String(version), level);
    if (problem !== null) throw new StartupError([{ where: 'database', message: problem }]);
    await checkSessionContext(database, driver);
    return {
      dialect,
      version: String(version),
      ...database,
      advice: lockingAdvice(isSnapshot),
      dedicated: async (onLost) => dedicatedConnection(await pools.dedicated(onLost), driver),
    };
  } catch (error) {
    await pools.close();
    throw error;
  }
}

const introspect: Driver['introspect'] = async (read) => {
  const { rows, notes } = await readSqlServerCatalog(read);
  const schema = readSqlServerSchema(rows);
  return notes.length > 0 ? { ...schema, notes } : schema;
};

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
