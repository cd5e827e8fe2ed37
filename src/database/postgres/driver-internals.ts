import pg from 'pg';
import { checkDriverVersion } from '../driver-version.ts';
import { RowReader, type RowSink } from './row-reader.ts';

checkDriverVersion('pg', '8.23.1');

/** The parts of the driver's connection that its types leave out. */
export interface Wire {
  readonly stream: {
    readonly cork: () => void;
    readonly uncork: () => void;
    readonly write: (bytes: Buffer) => unknown;
    /** False once it has broken. */
    readonly writable: boolean;
    readonly destroy: () => void;
  };
  readonly parse: (query: { readonly text: string; readonly name?: string }) => void;
  readonly bind: (query: {
    readonly values: readonly (string | Buffer | null)[];
    readonly statement?: string;
  }) => void;
  readonly describe: (portal: { readonly type: 'P'; readonly name: '' }) => void;
  readonly execute: (portal: object) => void;
  readonly close: (statement: { readonly type: 'S'; readonly name: string }) => void;
  readonly sync: () => void;
  readonly on: (event: string, listener: () => void) => void;
  readonly connect: (portOrPath: number | string, host?: string) => void;
  readonly requestSsl: () => void;
  readonly cancel: (processID: number, secretKey: number) => void;
  attachListeners: (stream: {
    readonly on: (event: string, listener: (bytes: Buffer) => void) => unknown;
  }) => void;
}

export function wireOf(connection: pg.Connection): Wire {
  return connection as unknown as Wire;
}

const readers = new WeakMap<pg.Connection, RowReader>();

/** The driver's client with a {@link RowReader} before its parser, with and without TLS, and with the name of its database decoded. */
export class RowClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    const { connection } = this;
    // The driver leaves the escapes of reserved characters as they are.
    const database = decodeURIComponent(new URL(config?.connectionString ?? '').pathname.slice(1));
    Object.assign((this as unknown as { connectionParameters: object }).connectionParameters, {
      database,
    });
    const wire = wireOf(connection);
    const attach = wire.attachListeners.bind(connection);
    wire.attachListeners = (stream) => {
      attach({
        on: (event, listener) => {
          if (event !== 'data') return stream.on(event, listener);
          const reader = new RowReader(listener);
          readers.set(connection, reader);
          return stream.on('data', reader.read);
        },
      });
    };
  }
}

/** Sends the rows of a connection to a sink, or to the driver. */
export function giveRows(connection: pg.Connection, sink: RowSink | null): void {
  const reader = readers.get(connection);
  if (reader !== undefined) reader.sink = sink;
}

/** The properties of a client that a cancel request needs. */
interface Target {
  readonly host: string;
  readonly port: number;
  readonly ssl: object | boolean;
  readonly sslNegotiation: string;
  readonly processID: number | null;
  readonly secretKey: number | null;
}

/** How long a cancel request may take, in milliseconds. */
const PATIENCE = 10_000;

/**
 * Asks the server to cancel the statement of a client, over a connection of its own with the client's TLS settings. The server answers nothing; it
 * closes the connection when it has passed the request on (or this gives up). The driver's own `cancel` sends the request, and its secret,
 * unencrypted, and does not report its end (https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS).
 */
export function requestCancel(client: pg.Client): Promise<void> {
  const { host, port, ssl, sslNegotiation, processID, secretKey } = client as unknown as Target;
  if (processID === null || secretKey === null) return Promise.resolve();
  const wire = wireOf(new pg.Connection({ ssl, sslNegotiation } as pg.ConnectionConfig));
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      wire.stream.destroy();
      resolve();
    };
    const timer = setTimeout(end, PATIENCE);
    const send = (): void => wire.cancel(processID, secretKey);
    wire.on('error', end);
    wire.on('end', end);
    wire.on('connect', () => {
      if (ssl === false) send();
      else if (sslNegotiation !== 'direct') wire.requestSsl();
    });
    wire.on('sslconnect', send);
    if (host.startsWith('/')) wire.connect(`${host}/.s.PGSQL.${port}`);
    else wire.connect(port, host);
  });
}
