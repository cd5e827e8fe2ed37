import { type IncomingMessage, type OutgoingHttpHeaders, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { buildConnector, type Dispatcher, Pool } from 'undici';
import { onAbort } from '../../base/time.ts';
import { ProtocolError } from '../../base/errors.ts';
import { plainHost } from '../../config/settings/proxy.ts';
import type { ProxyRoute } from './routes.ts';
import type { Upgrade } from './upgrades.ts';

/** How long a connection may take to open, in milliseconds; less where the answer may take less. */
const CONNECT_TIMEOUT = 10_000;

/** The longest headers of an answer, in bytes: old applications keep much in cookies. */
const MAX_HEADERS = 65_536;

function tlsOptions({ to, ca, verifyCertificate }: ProxyRoute): {
  readonly servername: string;
  readonly rejectUnauthorized: boolean;
  readonly ca?: string;
} {
  const host = plainHost(new URL(to).hostname);
  return {
    // The application's name, not the client's Host. An address has no name to ask for.
    servername: isIP(host) > 0 ? '' : host,
    rejectUnauthorized: verifyCertificate,
    ...(ca === undefined ? {} : { ca }),
  };
}

/** The parts of a request that do not go through the plugin, which would parse its URL and read its body. */
export type Carried = Pick<Dispatcher.RequestOptions, 'path' | 'body' | 'signal'>;

/** The key of {@link Carried} among the headers that the plugin is given. */
export const CARRIED: unique symbol = Symbol('carried');

/** Makes a pool of connections to an application, opened when needed: a dispatcher of requests with {@link CARRIED}, and what ends them all. */
export function applicationOf(route: ProxyRoute): {
  readonly dispatcher: { readonly request: Dispatcher['request'] };
  readonly close: () => Promise<void>;
} {
  const { servername, ...tls } = tlsOptions(route);
  const timeout = Math.min(CONNECT_TIMEOUT, route.timeoutSeconds * 1000);
  const connector = buildConnector({ ...tls, timeout });
  const pool = new Pool(new URL(route.to).origin, {
    connect: (options, connected) => connector({ ...options, servername }, connected),
    maxHeaderSize: MAX_HEADERS,
  });
  const send = (
    options: Dispatcher.RequestOptions,
    done: (error: Error | null, answer: Dispatcher.ResponseData) => void,
  ): void => {
    const { [CARRIED]: carried } = options.headers as unknown as { [CARRIED]: Carried };
    pool.request({ ...options, ...carried }, done);
  };
  return {
    dispatcher: { request: send as Dispatcher['request'] },
    close: () => pool.destroy(),
  };
}

/** Asks an application for a web socket; the upgrade is null where it refuses. Undici would not pass on that answer. @throws Error where it does not answer, or the signal is aborted */
export function askUpgrade(
  route: ProxyRoute,
  path: string,
  headers: OutgoingHttpHeaders,
  signal: AbortSignal,
): Promise<{ readonly answer: IncomingMessage; readonly upgrade: Upgrade | null }> {
  const { protocol, hostname, port } = new URL(route.to);
  const send = protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const request = send({
      ...tlsOptions(route),
      host: plainHost(hostname),
      port: port === '' ? null : port,
      path,
      headers: { ...headers, connection: 'Upgrade', upgrade: 'websocket' },
      agent: false,
      maxHeaderSize: MAX_HEADERS,
    });
    const timer = setTimeout(() => {
      request.destroy(Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' }));
    }, route.timeoutSeconds * 1000);
    const leave = (): void => void request.destroy(new Error('the client has gone'));
    const ignoreAbort = onAbort(signal, leave);
    const settle = (): void => {
      clearTimeout(timer);
      ignoreAbort();
    };
    request.on('upgrade', (answer, socket, head) => {
      settle();
      resolve({ answer, upgrade: { socket, head } });
    });
    request.on('response', (answer) => {
      settle();
      resolve({ answer, upgrade: null });
    });
    request.on('error', (error) => {
      settle();
      reject(error);
    });
    if (signal.aborted) leave();
    request.end();
  });
}

/** The client's error for an application that does not answer; the log has the cause. */
export function applicationError(error: unknown): ProtocolError {
  return ProtocolError.of(
    isTimeout(error) ? 'applicationTimeout' : 'applicationUnavailable',
    error,
  );
}

/** Whether an error is a timeout of undici, or of a connection that Node could not open. */
function isTimeout(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ETIMEDOUT' || /^UND_ERR_.*_TIMEOUT$/.test(code ?? '') || isTimeout(error.cause);
}
