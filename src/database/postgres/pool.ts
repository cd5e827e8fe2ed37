import pg from 'pg';
import type { PostgresConfig } from '../../config/config.ts';
import type { DriverConnection, DriverPool, KeptConnection } from '../driver.ts';
import { databaseError } from '../errors.ts';
import { supervised } from '../connection.ts';
import { PostgresConnection } from './connection.ts';
import type { PlainClient } from './driver-internals.ts';
import { postgresErrors } from './errors.ts';
import { type IsSelective, NamedStatements } from './statement-query.ts';
import { sessionStatement } from './session.ts';

/** Leaves values as the text on the wire: the dialect's readers know their types. */
const asText = { getTypeParser: () => (value: unknown) => value };

function clientConfig({ url, connectTimeoutSeconds }: PostgresConfig) {
  return {
    // A blank would have the driver encode it all once more.
    connectionString: new URL(url).href,
    connectionTimeoutMillis: connectTimeoutSeconds * 1000,
    application_name: 'entitygate',
    keepAlive: true,
    types: asText,
  } satisfies pg.ClientConfig;
}

/** A pool of `pg`. */
export class PostgresPool implements DriverPool {
  readonly size: number;
  readonly waitMilliseconds: number;
  readonly #pool: pg.Pool;
  readonly #connections = new Map<pg.Client, PostgresConnection>();
  readonly #named = new Set<NamedStatements>();

  constructor(config: PostgresConfig, isSelective: IsSelective, Client: typeof PlainClient) {
    this.size = config.poolSize;
    this.waitMilliseconds = config.connectTimeoutSeconds * 1000;
    this.#pool = new pg.Pool({
      Client,
      ...clientConfig(config),
      max: config.poolSize,
      verify: (client, done) => {
        beginSession(this.#connectionOf(client), config).then(() => done(), done);
      },
    });
    // The pool drops an idle connection that breaks; an event without a listener would end the process.
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) => {
      const named = config.preparedStatements ? new NamedStatements() : null;
      const connection = new PostgresConnection(client, {
        named,
        onStale: this.#forget,
        isSelective,
        giveBack: (isBroken) => client.release(isBroken),
      });
      this.#connections.set(client, connection);
      if (named !== null) this.#named.add(named);
      client.once('end', () => {
        this.#connections.delete(client);
        if (named !== null) this.#named.delete(named);
      });
    });
  }

  readonly connected = (): number => this.#connections.size;

  readonly acquire = async (): Promise<DriverConnection> =>
    this.#connectionOf(await this.#pool.connect());

  /** Waits until the server has heard of it, which the driver's pool does not. */
  readonly close = async (): Promise<void> => {
    await this.#pool.end();
    const clients = [...this.#connections.keys()];
    const ends = clients.map((client) => new Promise((resolve) => client.once('end', resolve)));
    await endInTime(Promise.all(ends), () => {
      for (const { connection } of clients) connection.stream.destroy();
    });
  };

  readonly #forget = (): void => {
    for (const named of this.#named) named.clear();
  };

  #connectionOf(client: pg.Client): PostgresConnection {
    const connection = this.#connections.get(client);
    if (connection === undefined) throw new Error('the driver lends a client that has ended');
    return connection;
  }
}

/** How long a server may take to hear that a connection ends, in milliseconds. */
const FAREWELL = 1000;

async function endInTime(ending: Promise<unknown>, breakOff: () => void): Promise<void> {
  const timer = setTimeout(breakOff, FAREWELL);
  try {
    await ending;
  } finally {
    clearTimeout(timer);
  }
}

/** Opens a connection outside of the pool. @param onLost called once when it breaks, not when it is closed */
export async function openDedicated(
  config: PostgresConfig,
  Client: typeof PlainClient,
  onLost: (cause: Error) => void,
): Promise<KeptConnection> {
  const client = new Client(clientConfig(config));
  const connection = new PostgresConnection(client, {
    named: null,
    onStale: () => undefined,
    isSelective: () => false,
    giveBack: () => undefined,
  });
  try {
    await client.connect();
    await beginSession(connection, config);
  } catch (error) {
    connection.destroy(error as Error);
    throw databaseError(postgresErrors.connecting(error), error);
  }
  let isOver = false;
  const lose = (cause: Error): void => {
    if (isOver) return;
    isOver = true;
    onLost(cause);
  };
  client.on('error', lose);
  client.on('end', () => lose(new Error('The server closed the connection.')));
  const close = async (): Promise<void> => {
    isOver = true;
    await endInTime(client.end(), () => {
      connection.destroy(new Error('The connection was closed.'));
    });
  };
  return { connection, close };
}

/** @throws also if the server does not answer */
async function beginSession(
  connection: PostgresConnection,
  { statementTimeoutSeconds, lockTimeoutSeconds, connectTimeoutSeconds }: PostgresConfig,
): Promise<void> {
  const statement = sessionStatement({
    statement_timeout: String(Math.ceil(statementTimeoutSeconds * 1000)),
    lock_timeout: String(Math.ceil(lockTimeoutSeconds * 1000)),
  });
  const limited = { signal: null, limit: connectTimeoutSeconds * 1000, grace: 0 };
  await supervised(connection, () => connection.run({ statement, values: [] }), limited);
}
