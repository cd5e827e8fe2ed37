import sql from 'mssql';
import type { Connection } from 'tedious';
import type { SqlServerConfig } from '../../config/config.ts';
import type { DriverConnection, DriverPool, KeptConnection } from '../driver.ts';
import { databaseError } from '../errors.ts';
import { SqlServerConnection } from './connection.ts';
import { lendingOf } from './driver-internals.ts';
import { sqlServerErrors } from './errors.ts';
import { prepareConnection } from './new-connection.ts';
import type { SqlServerTarget } from './connection-string.ts';

/** A pool of `mssql`, which lends connections of `tedious`. */
class SqlServerPool implements DriverPool {
  readonly size: number;
  readonly waitMilliseconds: number;
  readonly #pool: sql.ConnectionPool;
  #isClosed = false;

  constructor(target: SqlServerTarget, config: SqlServerConfig, isKnown: boolean) {
    this.size = config.poolSize;
    this.waitMilliseconds = config.connectTimeoutSeconds * 1000;
    this.#pool = driverPool(target, config, isKnown);
  }

  async connect(): Promise<void> {
    await this.#pool.connect();
  }

  readonly connected = (): number => this.#pool.available + this.#pool.borrowed;

  readonly acquire = async (): Promise<DriverConnection> => {
    // A closed pool would open itself again.
    if (!this.#pool.connected && !this.#isClosed) await this.connect();
    const lending = lendingOf(this.#pool);
    const connection = await lending.acquire({});
    return new SqlServerConnection(connection, () => lending.release(connection));
  };

  async close(): Promise<void> {
    this.#isClosed = true;
    // The driver refuses to close a pool that is connecting.
    if (this.#pool.connecting) await this.connect().catch(() => undefined);
    await this.#pool.close();
  }
}

/**
 * The connections to a SQL Server: one pool, or two if a readable secondary replica answers reads. The writing one connects when it is first used:
 * a gateway that only reads runs without the primary replica
 * (https://learn.microsoft.com/sql/database-engine/availability-groups/windows/configure-read-only-access-on-an-availability-replica-sql-server).
 */
export class SqlServerPools {
  readonly reading: SqlServerPool;
  readonly writing: SqlServerPool;
  readonly #primary: SqlServerTarget;
  readonly #config: SqlServerConfig;
  readonly #isKnown: boolean;

  /** @param isKnown as of {@link prepareConnection} */
  constructor(target: SqlServerTarget, config: SqlServerConfig, isKnown: boolean) {
    this.#primary = { ...target, options: { ...target.options, readOnlyIntent: false } };
    this.#config = config;
    this.#isKnown = isKnown;
    this.reading = new SqlServerPool(target, config, isKnown);
    this.writing =
      target.options?.readOnlyIntent === true
        ? new SqlServerPool(this.#primary, config, isKnown)
        : this.reading;
  }

  /** Opens a connection outside of the pools that may write, as {@link beside}. */
  dedicated(onLost: (cause: Error) => void): Promise<KeptConnection> {
    return this.beside(this.#primary, onLost);
  }

  /** Opens a connection outside of the pools. @param onLost called once when it breaks, not when it is closed */
  async beside(target: SqlServerTarget, onLost: (cause: Error) => void): Promise<KeptConnection> {
    const pool = driverPool(target, { ...this.#config, poolSize: 1 }, this.#isKnown);
    const lending = lendingOf(pool);
    let connection: Connection;
    try {
      await pool.connect();
      connection = await lending.acquire({});
    } catch (error) {
      await pool.close();
      throw databaseError(sqlServerErrors.connecting(error), error);
    }
    let isOver = false;
    connection.on('end', () => {
      if (isOver) return;
      isOver = true;
      onLost(new Error('The connection ended.'));
    });
    const close = async (): Promise<void> => {
      isOver = true;
      connection.close();
      lending.release(connection);
      await pool.close();
    };
    return { connection: new SqlServerConnection(connection, () => undefined), close };
  }

  async close(): Promise<void> {
    await Promise.all([...new Set([this.reading, this.writing])].map((pool) => pool.close()));
  }
}

/** No limit of the driver: the gateway's time limits include the transfer of the result. */
const NONE = 0;

/**
 * In bytes, as of Microsoft's own drivers: with this driver's 4,096 a page comes in twice as many pieces
 * (https://learn.microsoft.com/dotnet/api/microsoft.data.sqlclient.sqlconnectionstringbuilder.packetsize).
 */
const PACKET_SIZE = 8000;

function driverPool(
  target: SqlServerTarget,
  config: SqlServerConfig,
  isKnown: boolean,
): sql.ConnectionPool {
  const pool = new sql.ConnectionPool({
    ...target,
    options: {
      appName: 'entitygate',
      ...target.options,
      cancelTimeout: NONE,
      packetSize: PACKET_SIZE,
      useUTC: true,
      enableArithAbort: true,
    },
    // A query before each use of a connection would double the round trips.
    validateConnection: 'socket',
    requestTimeout: NONE,
    connectionTimeout: config.connectTimeoutSeconds * 1000,
    pool: {
      max: config.poolSize,
      min: 0,
      acquireTimeoutMillis: config.connectTimeoutSeconds * 1000,
    },
    beforeConnect: (connection) =>
      prepareConnection(connection, config.lockTimeoutSeconds, isKnown),
  });
  // The statement that meets a broken connection reports it; an event without a listener would end the process.
  pool.on('error', () => undefined);
  return pool;
}
