import sql from 'mssql';
import { databaseErrors } from './errors.ts';
import { ProtocolError, StartupError, type ErrorName } from '../base/errors.ts';
import {
  readSqlServerSchema,
  sqlServerSchemaQueries,
  type SqlServerSchemaRows,
} from '../schema/sqlserver.ts';
import type { BoundParameter, Dialect, DialectSettings } from '../sql/dialect.ts';
import { tsqlDialect } from '../sql/tsql/dialect.ts';
import { isUnicode } from '../sql/tsql/native-type.ts';
import type { SqlServerConfig } from '../config/config.ts';
import type { Database, Row } from './database.ts';
import { connectionTarget, type SqlServerTarget } from './sqlserver-url.ts';
import { connectPatiently, reason, type OnWait } from './wait.ts';

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
  const pool = new sql.ConnectionPool({
    ...target,
    options: {
      ...target.options,
      appName: 'entitygate',
      useUTC: true,
      enableArithAbort: true,
    },
    // One query before each use of a connection would double the round trips.
    validateConnection: 'socket',
    requestTimeout: config.statementTimeoutSeconds * 1000,
    connectionTimeout: config.connectTimeoutSeconds * 1000,
    pool: {
      max: config.poolSize,
      min: 0,
      acquireTimeoutMillis: config.connectTimeoutSeconds * 1000,
    },
  });
  pool.on('error', () => undefined);
  try {
    await connectPatiently(() => pool.connect(), {
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
        message: `SQL Server at ${target.server} cannot be used: ${reason(error)}`,
      },
    ]);
  }
  const query = async (
    text: string,
    values: readonly BoundParameter[],
  ): Promise<readonly Row[]> => {
    const request = pool.request() as sql.Request & { arrayRowMode: boolean };
    request.arrayRowMode = true;
    for (const [index, bound] of values.entries()) {
      const { type, value } = bind(bound);
      request.input(`p${index + 1}`, type, value);
    }
    try {
      const result = await request.query(text);
      return result.recordset;
    } catch (error) {
      throw sqlServerError(error);
    }
  };
  const [found] = await query('SELECT @@VERSION', []);
  return {
    dialect,
    version: String(found?.[0]),
    query,
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
    close: () => pool.close(),
  };
}

function readTarget(config: SqlServerConfig): SqlServerTarget {
  try {
    return connectionTarget(config);
  } catch (error) {
    throw new StartupError([
      { where: 'database.url', message: `cannot be read: ${(error as Error).message}` },
    ]);
  }
}

function readDialect(settings: DialectSettings): Dialect {
  try {
    return tsqlDialect(settings);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new StartupError([{ where: 'timeZone', message: error.message }]);
  }
}

interface Bound {
  readonly type: sql.ISqlType | (() => sql.ISqlType);
  readonly value: unknown;
}

/**
 * The driver's type and value of a parameter. One query shape is one plan: lengths are the type's largest, never the
 * value's. What the driver would round or shift is bound as text, and converted by the statement.
 */
function bind({ parameter, value }: BoundParameter): Bound {
  if (parameter.kind === 'keyList') return { type: sql.NVarChar(sql.MAX), value };
  if (parameter.kind === 'constant') return unicode(value);
  switch (parameter.use) {
    case 'count':
      return { type: sql.BigInt, value };
    case 'list':
      return { type: sql.NVarChar(sql.MAX), value };
    case 'wildcard':
    case 'begins':
    case 'contains':
    case 'value':
      return bindValue({ parameter, value });
  }
}

function bindValue({ parameter, value }: BoundParameter): Bound {
  const type = 'type' in parameter ? parameter.type : null;
  switch (type?.kind) {
    case 'boolean':
      return { type: sql.Bit, value: value === 'true' };
    case 'integer':
      return type.bits === 64
        ? { type: sql.BigInt, value }
        : {
            type: { 8: sql.TinyInt, 16: sql.SmallInt, 32: sql.Int }[type.bits],
            value: Number(value),
          };
    case 'float':
      return { type: type.bits === 32 ? sql.Real : sql.Float, value: Number(value) };
    case 'uuid':
      return { type: sql.UniqueIdentifier, value };
    case 'decimal':
    case 'date':
    case 'timestamp':
    case 'time':
      return { type: sql.VarChar(50), value };
    case 'text':
      // Unicode in a varchar parameter would turn into question marks, and equal them.
      return isUnicode(type) || !isAscii(value)
        ? unicode(value)
        : { type: value.length > 8000 ? sql.VarChar(sql.MAX) : sql.VarChar(8000), value };
    case 'json':
    case 'binary':
    case 'opaque':
    case undefined:
      return unicode(value);
  }
}

function unicode(value: string): Bound {
  return { type: value.length > 4000 ? sql.NVarChar(sql.MAX) : sql.NVarChar(4000), value };
}

function isAscii(text: string): boolean {
  return !/[^\u0020-\u007e\s]/.test(text);
}

/** The gateway's error for one of the driver's. */
function sqlServerError(error: unknown): ProtocolError {
  const { code, number } = error as { code?: unknown; number?: unknown };
  const { name, message } =
    error instanceof Error && error.constructor.name === POOL_TIMEOUT
      ? databaseErrors.away
      : classify(String(code), number);
  return new ProtocolError(name, message, undefined, error);
}

/** The class of what the driver's pool throws when no connection becomes free in time. */
const POOL_TIMEOUT = 'TimeoutError';

/** https://learn.microsoft.com/sql/relational-databases/errors-events/mssqlserver-1205-database-engine-error */
const DEADLOCK_VICTIM = 1205;

function classify(code: string, number: unknown): { name: ErrorName; message: string } {
  if (number === DEADLOCK_VICTIM) return databaseErrors.deadlock;
  if (code === 'ETIMEOUT') return databaseErrors.timeout;
  // The driver's own words for a connection that is gone, and those of the socket below it.
  if (/^E(?:CONN|SOCKET|NOTOPEN|NOCONN|LOGIN|ABORT|PIPE|HOST|NET|TIMEDOUT)/.test(code)) {
    return databaseErrors.away;
  }
  return databaseErrors.refused;
}
