import pg from 'pg';
import type { PostgresConfig } from '../../config/config.ts';
import type { DriverConnection, DriverPool } from '../driver.ts';
import { PostgresConnection } from './connection.ts';
import { sessionStatement } from './session.ts';
import { supervised } from '../supervise.ts';

/** Hands every value over as the text that came over the wire: the readers of the dialect know what it is. */
const asText = { getTypeParser: () => (value: unknown) => value };

/** A pool of `pg`'s. */
export class PostgresPool implements DriverPool {
  readonly size: number;
  readonly waitMilliseconds: number;
  readonly #pool: pg.Pool;

  constructor(config: PostgresConfig) {
    const connectMilliseconds = config.connectTimeoutSeconds * 1000;
    this.size = config.poolSize;
    this.waitMilliseconds = connectMilliseconds;
    this.#pool = new pg.Pool({
      connectionString: config.url,
      max: config.poolSize,
      connectionTimeoutMillis: connectMilliseconds,
      application_name: 'entitygate',
      keepAlive: true,
      types: asText,
      verify: (client, done) => {
        let failed: Error | undefined;
        const connection = new PostgresConnection(client, () => {
          done(failed);
        });
        beginSession(connection, config)
          .catch((error: unknown) => {
            failed = error as Error;
          })
          .finally(() => {
            connection.release(failed === undefined);
          });
      },
    });
    // An idle connection that breaks must not end the process: the pool drops it and the next request opens another.
    this.#pool.on('error', () => undefined);
  }

  readonly acquire = async (): Promise<DriverConnection> => {
    const client = await this.#pool.connect();
    return new PostgresConnection(client, (isBroken) => {
      client.release(isBroken);
    });
  };

  readonly close = (): Promise<void> => this.#pool.end();
}

/** @throws also where the server does not answer */
async function beginSession(
  connection: PostgresConnection,
  { statementTimeoutSeconds, connectTimeoutSeconds }: PostgresConfig,
): Promise<void> {
  const statement = sessionStatement({
    statement_timeout: String(Math.ceil(statementTimeoutSeconds * 1000)),
  });
  await supervised(connection, () => connection.run({ statement, values: [] }), {
    signal: null,
    limit: connectTimeoutSeconds * 1000,
    grace: 0,
  });
}
