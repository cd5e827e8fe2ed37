import pg from 'pg';

/** What of the driver's classes their types leave out. */
interface Target {
  readonly host: string;
  readonly port: number;
  readonly ssl: object | boolean;
  readonly sslNegotiation: string;
  readonly processID: number | null;
  readonly secretKey: number | null;
}
interface Wire extends pg.Connection {
  readonly connect: (portOrPath: number | string, host?: string) => void;
  readonly requestSsl: () => void;
  readonly cancel: (processID: number, secretKey: number) => void;
}

/**
 * Asks the server to cancel what a client runs, over a connection of its own with the client's own TLS settings. The server
 * answers nothing; it closes the connection when it has passed the request on.
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS
 *
 * The driver's own `cancel` sends the request, and its secret, in the clear where the client's connection is encrypted, and
 * does not tell of its end.
 * @returns when the server has closed the connection, however that came about
 */
export function requestCancel(client: pg.Client): Promise<void> {
  const { host, port, ssl, sslNegotiation, processID, secretKey } = client as unknown as Target;
  if (processID === null || secretKey === null) return Promise.resolve();
  const wire = new pg.Connection({ ssl, sslNegotiation } as pg.ConnectionConfig) as Wire;
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      wire.stream.destroy();
      resolve();
    };
    const timer = setTimeout(end, PATIENCE);
    const send = (): void => {
      wire.cancel(processID, secretKey);
    };
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

/** How long a server that says nothing is waited for, in milliseconds. */
const PATIENCE = 10_000;
