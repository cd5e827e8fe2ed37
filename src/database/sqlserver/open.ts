import { reason, StartupError } from '../../base/errors.ts';
import type { SqlServerConfig } from '../../config/config.ts';
import { gatewayContext } from '../../base/observe/observer.ts';
import { readSqlServerCatalog } from '../../schema/sqlserver/catalog.ts';
import { readSqlServerSchema } from '../../schema/sqlserver/introspect.ts';
import type { DialectSettings } from '../../sql/dialect.ts';
import { plainStatement } from '../../sql/ir/statement.ts';
import { tsqlDialect } from '../../sql/tsql/dialect.ts';
import type { Database } from '../database.ts';
import type { Driver } from '../driver.ts';
import { dedicatedConnection, pooledDatabase } from '../pooled.ts';
import { cannotConnect, connectRetrying, mayPass, type OnWait } from '../connect-at-start.ts';
import { checkSessionContext, contextFor } from '../session-context.ts';
import { checkDriver } from './driver-check.ts';
import { loginError, sqlServerErrors } from './errors.ts';
import { loginMessagesOf } from './new-connection.ts';
import { SqlServerPools } from './pools.ts';
import { CONTEXT_LIMITS } from './connection.ts';
import { connectionTarget, targetName } from './url.ts';

/** Version, level and use of snapshots (https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-databases-transact-sql). */
export const VERSION_AND_LEVEL =
  'SELECT @@VERSION, compatibility_level, is_read_committed_snapshot_on' +
  ' FROM (SELECT DB_ID() AS id) own LEFT JOIN sys.databases ON database_id = id';

/** The level that OPENJSON needs: https://learn.microsoft.com/sql/t-sql/functions/openjson-transact-sql */
const LOWEST = 130;

/** The error message for a compatibility level; null if it is high enough, or the engine is not SQL Server. */
export function levelProblem(version: string, level: unknown): string | null {
  const isSqlServer = version.startsWith('Microsoft SQL');
  if (!isSqlServer || typeof level !== 'number' || level >= LOWEST) return null;
  return (
    `the database has compatibility level ${level}, and the gateway needs at least ${LOWEST}: ` +
    `ALTER DATABASE CURRENT SET COMPATIBILITY_LEVEL = ${LOWEST}, on SQL Server 2016 or later`
  );
}

/**
 * Advice for a database whose reads do not use snapshots: they wait for writes, such as the long transactions of a legacy program
 * (https://learn.microsoft.com/sql/t-sql/statements/alter-database-transact-sql-set-options#read_committed_snapshot).
 * @param isSnapshot the value of `is_read_committed_snapshot_on`; unknown if it is not a boolean
 */
export function lockingAdvice(isSnapshot: unknown): readonly string[] {
  if (isSnapshot !== false) return [];
  return [
    'is_read_committed_snapshot_on is 0: reads wait for writes, and writes for reads. ' +
      'ALTER DATABASE CURRENT SET READ_COMMITTED_SNAPSHOT ON lets neither wait for the other',
  ];
}

/** Opens a pool to a SQL Server, or what speaks TDS and T-SQL like it. @throws StartupError, also for too low a compatibility level */
export async function openSqlServer(
  config: SqlServerConfig,
  settings: DialectSettings,
  onWait: OnWait = () => undefined,
): Promise<Database> {
  const target = readTarget(config);
  const name = targetName(target);
  const isKnown = await checkDriver(onWait);
  const pools = new SqlServerPools(target, config, isKnown);
  await connectRetrying(() => pools.reading.connect(), {
    name,
    seconds: config.startupWaitSeconds,
    isTransient: (error) => {
      const { code } = error as { code?: unknown };
      const isSilent = code === 'ESOCKET' || code === 'ETIMEOUT';
      const refusal = loginError(loginMessagesOf(error));
      return isSilent || (refusal !== null && mayPass(refusal));
    },
    onWait,
  }).catch((error: unknown) => {
    // The driver tells the last message, that the login failed.
    const [first] = loginMessagesOf(error);
    throw cannotConnect(name, first?.message ?? reason(error), {
      refusal: sqlServerErrors.connecting(error),
      unchecked: 'trustServerCertificate=true',
    });
  });
  const driver: Driver = {
    reading: pools.reading,
    writing: pools.writing,
    connectBeside: (onLost) => pools.beside(target, onLost),
    errors: sqlServerErrors,
    textEncoding: 'utf16le',
    limits: {
      statement: config.statementTimeoutSeconds * 1000,
      schema: config.schemaTimeoutSeconds * 1000,
      cancelRead: 1000,
      // A large rollback takes its time.
      cancelWrite: 5000,
    },
    sessionContext: contextFor(config, CONTEXT_LIMITS),
    introspect,
    close: () => pools.close(),
  };
  const database = pooledDatabase(driver, onWait);
  try {
    const statement = plainStatement(VERSION_AND_LEVEL);
    const { rows } = await database.run({ statement, values: [] }, gatewayContext);
    const [[version, level, isSnapshot] = []] = rows;
    const problem = levelProblem(String(version), level);
    if (problem !== null) throw StartupError.at('database', problem);
    await checkSessionContext(database, driver);
    return {
      dialect: tsqlDialect(settings, isKnown),
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

/** Reads where the server is and who logs in. @throws StartupError */
export function readTarget(config: SqlServerConfig): ReturnType<typeof connectionTarget> {
  try {
    return connectionTarget(config);
  } catch (error) {
    throw StartupError.at('database.url', (error as Error).message);
  }
}
