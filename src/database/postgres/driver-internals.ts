import { PassThrough } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import type { Row } from '../database.ts';
import { readRows, RowReader, type RowSink } from './row-reader.ts';

/*
 * What the driver's interface does not tell. Its rows are read before its parser where its version allows that (see readsRowsFirst), and come by its
 * interface elsewhere. Its connection is what every `Submittable`, as pg-cursor's, sends messages by.
 */

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

/** The driver's client, with the name of its database decoded. */
export class PlainClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    // The driver leaves the escapes of reserved characters as they are.
    const database = decodeURIComponent(new URL(config?.connectionString ?? '').pathname.slice(1));
    Object.assign((this as unknown as { connectionParameters: object }).connectionParameters, {
      database,
    });
  }
}

/** A client with a {@link RowReader} before the driver's parser, with and without TLS. */
class RowClient extends PlainClient {
  constructor(config?: pg.ClientConfig) {
    super(config);
    addReader(this.connection);
  }
}

const readers = new WeakMap<pg.Connection, RowReader>();

function addReader(connection: pg.Connection): void {
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

/** Sends the rows of a connection to a sink, or to the driver. @returns false if the driver reads them itself: they come by `handleDataRow` */
export function giveRows(connection: pg.Connection, sink: RowSink | null): boolean {
  const reader = readers.get(connection);
  if (reader !== undefined) reader.sink = sink;
  return reader !== undefined;
}

/** The answer of PostgreSQL 15 to `SELECT 7 AS n, 'é' AS t, NULL::text AS x`. */
const RECORDED = Buffer.from(
  '31000000043200000004540000004200036e00000000000000000000170004ffffffff0000740000000000000000000019ffffffffffff0000780000' +
    '000000000000000019ffffffffffff000044000000150003000000013700000002c3a9ffffffff430000000d53454c4543542031005a0000000549',
  'hex',
);

/** Whether rows can be read before the parser of this version of the driver: by a recorded answer. */
function readsRowsFirst(): boolean {
  try {
    const socket = Object.assign(new PassThrough(), {
      setNoDelay: () => undefined,
      connect: () => undefined,
    });
    const connection = new pg.Connection({ stream: () => socket });
    addReader(connection);
    const heard: unknown[] = [];
    for (const event of ['rowDescription', 'dataRow', 'commandComplete', 'readyForQuery']) {
      wireOf(connection).on(event, () => heard.push(event));
    }
    wireOf(connection).connect(0, '');
    giveRows(connection, {
      handleRows: (bytes, start, end) => {
        const rows: Row[] = [];
        readRows(bytes, start, end, rows);
        heard.push(...rows);
      },
    });
    socket.emit('data', RECORDED);
    return isDeepStrictEqual(heard, [
      'rowDescription',
      ['7', 'é', null],
      'commandComplete',
      'readyForQuery',
    ]);
  } catch {
    return false;
  }
}

/** The class of clients. @param warn is told if this version of the driver reads rows itself */
export function clientClass(warn: (message: string) => void): typeof PlainClient {
  if (readsRowsFirst()) return RowClient;
  warn('this version of pg is unknown: it reads rows itself, which takes longer');
  return PlainClient;
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
