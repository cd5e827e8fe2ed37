import sql from 'mssql';
import type { SqlServerConfig } from '../config/config.ts';
import { databaseError, databaseErrors } from './errors.ts';
import type { SqlServerTarget } from './sqlserver-url.ts';

/**
 * The connections to a SQL Server: one pool, or two where reads may be answered by a readable secondary replica. What
 * writes then needs connections that say nothing of reading only, which the first one opens: a gateway that only reads runs
 * without the primary replica.
 * https://learn.microsoft.com/sql/database-engine/availability-groups/windows/configure-read-only-access-on-an-availability-replica-sql-server
 */
export class Pools {
  /** For reads. */
  readonly reading: sql.ConnectionPool;
  readonly #writing: sql.ConnectionPool;
  #closed = false;

  constructor(target: SqlServerTarget, config: SqlServerConfig) {
    this.reading = openPool(target, config);
    this.#writing =
      target.options?.readOnlyIntent === true
        ? openPool({ ...target, options: { ...target.options, readOnlyIntent: false } }, config)
        : this.reading;
  }

  /** Connects for reads. */
  async connect(): Promise<void> {
    await this.reading.connect();
  }

  /**
   * For writes, and for the reads that belong to them.
   * @throws ProtocolError databaseAway where there is no primary to connect to; the next call tries again
   */
  async primary(): Promise<sql.ConnectionPool> {
    // A pool that is closed would open itself again.
    if (this.#writing.connected || this.#closed) return this.#writing;
    try {
      return await this.#writing.connect();
    } catch (error) {
      throw databaseError(databaseErrors.away, error);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    // The driver refuses to close what is connecting.
    if (this.#writing.connecting) await this.#writing.connect().catch(() => undefined);
    await Promise.all([...new Set([this.reading, this.#writing])].map((pool) => pool.close()));
  }
}

/** How long the server may take to acknowledge that it gives a statement up, in milliseconds. */
const CANCEL_TIMEOUT = 1000;

function openPool(target: SqlServerTarget, config: SqlServerConfig): sql.ConnectionPool {
  const pool = new sql.ConnectionPool({
    ...target,
    options: {
      appName: 'entitygate',
      ...target.options,
      // A server that does not even acknowledge that it gives a statement up is not waited for: the connection is closed.
      cancelTimeout: CANCEL_TIMEOUT,
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
  // A connection that breaks must not end the process: the statement that meets it tells of it.
  pool.on('error', () => undefined);
  return pool;
}
