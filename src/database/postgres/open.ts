import { ProtocolError, reason, StartupError } from '../../base/errors.ts';
import type { PostgresConfig } from '../../config/config.ts';
import { redacted } from '../../config/settings/connection-string.ts';
import { gatewayContext } from '../../base/observe/observer.ts';
import type { DialectSettings } from '../../sql/dialect.ts';
import { plainStatement } from '../../sql/ir/statement.ts';
import type { Database } from '../database.ts';
import type { Driver } from '../driver.ts';
import { dedicatedConnection, pooledDatabase } from '../pooled.ts';
import { cannotConnect, connectRetrying, mayPass, type OnWait } from '../connect-at-start.ts';
import { checkSessionContext, contextFor } from '../session-context.ts';
import { Selectivity } from './selectivity.ts';
import type { DatabaseError } from '../errors.ts';
import { clientClass } from './driver-internals.ts';
import { postgresErrors } from './errors.ts';
import { openDedicated, PostgresPool } from './pool.ts';
import {
  CONTEXT_LIMITS,
  dialectFor,
  introspect,
  OLDEST_VERSION,
  versionCommand,
} from './session.ts';

/** The server has the same time limit; the gateway's own, in milliseconds longer, is for a server that is silent. */
const SERVER_FIRST = 500;

/** Opens a pool of connections to a PostgreSQL server. @throws StartupError when the server cannot be reached, refuses the login or is too old */
export async function openPostgres(
  config: PostgresConfig,
  settings: DialectSettings,
  onWait: OnWait = () => undefined,
): Promise<Database> {
  const name = `PostgreSQL at ${redacted(config.url)}`;
  const selectivity = new Selectivity(
    async (statement, values) => (await database.run({ statement, values }, gatewayContext)).rows,
  );
  const Client = clientClass(onWait);
  const pool = new PostgresPool(config, selectivity.isSelective, Client);
  const driver: Driver = {
    reading: pool,
    writing: pool,
    connectBeside: (onLost) => openDedicated(config, Client, onLost),
    errors: postgresErrors,
    limits: {
      statement: config.statementTimeoutSeconds * 1000 + SERVER_FIRST,
      schema: config.schemaTimeoutSeconds * 1000 + SERVER_FIRST,
      cancelRead: 1000,
      cancelWrite: 5000,
    },
    limitStatements: (milliseconds) =>
      plainStatement(
        `SELECT set_config('statement_timeout', '${Math.ceil(milliseconds - SERVER_FIRST)}', true)`,
      ),
    textEncoding: 'utf8',
    sessionContext: contextFor(config, CONTEXT_LIMITS),
    introspect,
    close: pool.close,
  };
  const database = pooledDatabase(driver, onWait);
  try {
    const { rows } = await connectRetrying(() => database.run(versionCommand, gatewayContext), {
      name,
      seconds: config.startupWaitSeconds,
      isTransient: (error) => error instanceof ProtocolError && mayPass(connectingError(error)),
      onWait,
    }).catch((error: unknown) => {
      throw cannotConnect(name, reason(error), {
        refusal: connectingError(error),
        unchecked: 'sslmode=no-verify',
      });
    });
    const [[number, release, version, foldCollation]] = rows as [[string, string, string, string]];
    if (Number(number) < OLDEST_VERSION * 10_000) {
      const message = `PostgreSQL ${release} is too old: ${OLDEST_VERSION} and later are supported`;
      throw StartupError.at('database', message);
    }
    await checkSessionContext(database, driver);
    return {
      dialect: dialectFor(number, settings, { foldCollation }),
      version,
      ...database,
      isSelective: ({ filtered }) => filtered !== undefined && selectivity.isSelective(filtered),
      dedicated: async (onLost) =>
        dedicatedConnection(await openDedicated(config, Client, onLost), driver),
    };
  } catch (error) {
    await pool.close();
    throw error;
  }
}

function connectingError(error: unknown): DatabaseError {
  return postgresErrors.connecting(error instanceof ProtocolError ? error.cause : error);
}
