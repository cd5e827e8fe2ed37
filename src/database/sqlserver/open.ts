import { StartupError } from '../../base/errors.ts';
import { reason } from '../../base/reason.ts';
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
import { sqlServerErrors } from './errors.ts';
import { levelProblem, lockingAdvice, VERSION_AND_LEVEL } from './level.ts';
import { loginMessagesOf } from './new-connection.ts';
import { loginError } from './transient.ts';
import { SqlServerPools } from './pools.ts';
import type { SqlServerTarget } from './target.ts';
import { sqlServerContext } from './session-context.ts';
import { connectionTarget } from './url.ts';

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
