import sql from 'mssql';
import type { Connection } from 'tedious';
import type { SqlServerConfig } from '../../config/config.ts';
import type { DriverConnection, DriverPool, KeptConnection } from '../driver.ts';
import { databaseError } from '../errors.ts';
import { SqlServerConnection } from './connection.ts';
import { sqlServerErrors } from './errors.ts';
import { prepareConnection } from './new-connection.ts';
import type { SqlServerTarget } from './connection-string.ts';

/** The methods of the driver's pool that lend a connection; its types leave them out. */
interface LendingPool {
  readonly acquire: (borrower: object) => Promise<Connection>;
  readonly release: (connection: Connection) => void;
}

/** A pool of `mssql`'s, which lends connections of `tedious`. */
class SqlServerPool implements DriverPool {
  readonly size: number;
  readonly waitMilliseconds: number;
  readonly #pool: sql.ConnectionPool;
  #isClosed = false;

  constructor(target: SqlServerTarget, config: SqlServerConfig) {
    this.size = config.poolSize;
    this.waitMilliseconds = config.connectTimeoutSeconds * 1000;
    this.#pool = driverPool(target, config);
  }

  async connect(): Promise<void> {
    await this.#pool.connect();
  }

  readonly acquire = async (): Promise<DriverConnection> => {
    // A pool that is closed would open itself again.
    if (!this.#pool.connected && !this.#isClosed) await this.#pool.connect();
    const lending = this.#pool as unknown as LendingPool;
    const connection = await lending.acquire({});
    return new SqlServerConnection(connection, () => {
      lending.release(connection);
    });
  };

  async close(): Promise<void> {
    this.#isClosed = true;
    // The driver refuses to close what is connecting.
    if (this.#pool.connecting) await this.#pool.connect().catch(() => undefined);
    await this.#pool.close();
  }
}

/**
 * The connections to a SQL Server: one pool, or two where reads may be answered by a readable secondary replica. What
 * writes then needs connections that say nothing of reading only, which the first one opens: a gateway that only reads runs
 * without the primary replica.
 * https://learn.microsoft.com/sql/database-engine/availability-groups/windows/configure-read-only-access-on-an-availability-replica-sql-server
 */
export class SqlServerPools {
  readonly reading: SqlServerPool;
  readonly writing: SqlServerPool;
  readonly #target: SqlServerTarget;
  readonly #config: SqlServerConfig;

  constructor(target: SqlServerTarget, config: SqlServerConfig) {
    this.#target = target;
    this.#config = config;
    this.reading = new SqlServerPool(target, config);
    this.writing =
      target.options?.readOnlyIntent === true
        ? new SqlServerPool(
            { ...target, options: { ...target.options, readOnlyIntent: false } },
            config,
          )
        : this.reading;
  }

  /** Opens a connection beside the pools that may write, as {@link beside}. */
  dedicated(onLost: (cause: Error) => void): Promise<KeptConnection> {
    const options = { ...this.#target.options, readOnlyIntent: false };
    return this.beside({ ...this.#target, options }, onLost);
  }

  /**
   * Opens a connection beside the pools.
   * @param onLost told once when it breaks, and not when it is closed
   */
  async beside(target: SqlServerTarget, onLost: (cause: Error) => void): Promise<KeptConnection> {
    const pool = driverPool(target, { ...this.#config, poolSize: 1 });
    let connection: Connection;
    try {
      await pool.connect();
      connection = await (pool as unknown as LendingPool).acquire({});
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
      (pool as unknown as LendingPool).release(connection);
      await pool.close();
    };
    return { connection: new SqlServerConnection(connection, () => undefined), close };
  }

  async close(): Promise<void> {
    await Promise.all([...new Set([this.reading, this.writing])].map((pool) => pool.close()));
  }
}

/** No limit of the driver's own: the gateway's time limits hold, which go on while an answer is on its way. */
const NONE = 0;

/**
 * In bytes, as Microsoft's own drivers ask for: by the 4,096 of this one, a page comes in twice as many pieces.
 * https://learn.microsoft.com/dotnet/api/microsoft.data.sqlclient.sqlconnectionstringbuilder.packetsize
 */
const PACKET_SIZE = 8000;

function driverPool(target: SqlServerTarget, config: SqlServerConfig): sql.ConnectionPool {
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
    // One query before each use of a connection would double the round trips.
    validateConnection: 'socket',
    requestTimeout: NONE,
    connectionTimeout: config.connectTimeoutSeconds * 1000,
    pool: {
      max: config.poolSize,
      min: 0,
      acquireTimeoutMillis: config.connectTimeoutSeconds * 1000,
    },
    beforeConnect: (connection) => {
      prepareConnection(connection, config.lockTimeoutSeconds);
    },
  });
  // A connection that breaks must not end the process: the statement that meets it tells of it.
  pool.on('error', () => undefined);
  return pool;
}
