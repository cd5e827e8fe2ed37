import pg from 'pg';
import { RowReader, type RowSink } from './row-reader.ts';

/** What of the driver's connection is met here; its types tell less. */
interface Attaching {
  attachListeners: (stream: Listened) => void;
}

/** What the driver's connection asks of the stream that it reads. */
interface Listened {
  readonly on: (event: string, listener: (bytes: Buffer) => void) => unknown;
}

const readers = new WeakMap<pg.Connection, RowReader>();

/** The driver's client, whose rows are read by {@link RowReader}, in clear or by TLS. */
export class RowClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    const { connection } = this;
    const attaching = connection as unknown as Attaching;
    const attach = attaching.attachListeners.bind(connection);
    attaching.attachListeners = (stream) => {
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

/** Has whoever waits for rows of a connection get them, or nobody. */
export function giveRows(connection: pg.Connection, sink: RowSink | null): void {
  const reader = readers.get(connection);
  if (reader !== undefined) reader.sink = sink;
}
