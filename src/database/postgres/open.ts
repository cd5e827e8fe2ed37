import { ProtocolError, reason, StartupError } from '../../base/errors.ts';
import type { PostgresConfig } from '../../config/config.ts';
import { redacted } from '../../config/secrets/secrets.ts';
import { unattended } from '../../base/observe/observer.ts';
import type { DialectSettings } from '../../sql/dialect.ts';
import type { Database, Row } from '../database.ts';
import type { Driver, TimeLimits } from '../driver.ts';
import { dedicatedConnection, pooledDatabase } from '../pooled.ts';
import { checkSessionContext } from '../context-lender.ts';
import { connectRetrying, mayPass, type OnWait } from '../wait.ts';
import { Selectivity } from './selectivity.ts';
import { postgresErrors } from './errors.ts';
import { openDedicated, PostgresPool } from './pool.ts';
import {
  dialectFor,
  introspect,
  OLDEST_VERSION,
  postgresContext,
  versionCommand,
} from './session.ts';

/**
 * Opens a pool of connections to a PostgreSQL server.
 * @throws StartupError when the server cannot be reached, refuses the login or is too old
 */
export async function openPostgres(
  config: PostgresConfig,
  settings: DialectSettings,
  onWait: OnWait = () => undefined,
): Promise<Database> {
  const selectivity = new Selectivity(
    async (statement, values) => (await database.run({ statement, values }, unattended)).rows,
  );
  const pool = new PostgresPool(config, selectivity.isSelective);
  const driver: Driver = {
    reading: pool,
    writing: pool,
    connectBeside: (onLost) => openDedicated(config, onLost),
    errors: postgresErrors,
    limits: timeLimits(config),
    textEncoding: 'utf8',
    sessionContext: postgresContext(config),
    introspect,
    close: pool.close,
  };
  const database = pooledDatabase(driver);
  let found: Row | undefined;
  try {
    const { rows } = await connectRetrying(() => database.run(versionCommand, unattended), {
      name: `PostgreSQL at ${redacted(config.url)}`,
      seconds: config.startupWaitSeconds,
      isTransient: (error) =>
        error instanceof ProtocolError && mayPass(postgresErrors.connecting(error.cause)),
      onWait,
    });
    [found] = rows;
  } catch (error) {
    await pool.close();
    throw new StartupError([
      {
        where: 'database',
        message: `PostgreSQL at ${redacted(config.url)} cannot be used: ${reason(error)}`,
      },
    ]);
  }
  const [number, release, version] = found as [string, string, string];
  if (Number(number) < OLDEST_VERSION * 10_000) {
    await pool.close();
    throw new StartupError([
      {
        where: 'database',
        message: `PostgreSQL ${release} is too old: ${OLDEST_VERSION} and later are supported`,
      },
    ]);
  }
  try {
    await checkSessionContext(database, driver);
  } catch (error) {
    await pool.close();
    throw error;
  }
  return {
    dialect: dialectFor(number, settings),
    version,
    ...database,
    isSelective: ({ filtered }) => filtered !== undefined && selectivity.isSelective(filtered),
    dedicated: async (onLost) => dedicatedConnection(await openDedicated(config, onLost), driver),
  };
}

/** The server keeps the time limit itself; the gateway's own is for a server that has gone silent. */
const SERVER_FIRST = 500;

function timeLimits({ statementTimeoutSeconds }: PostgresConfig): TimeLimits {
  return {
    statement: statementTimeoutSeconds * 1000 + SERVER_FIRST,
    cancelRead: 1000,
    cancelWrite: 5000,
  };
}
