import { type IncomingMessage, type OutgoingHttpHeaders, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import type { Duplex, Readable } from 'node:stream';
import { buildConnector, type Dispatcher, Pool } from 'undici';
import { onAbort } from '../../base/abort.ts';
import type { ProxyRoute } from './routes.ts';
import { ProtocolError } from '../../base/errors.ts';

/** How long a connection may take to be made, in milliseconds; less where the answer may take less. */
const CONNECT_TIMEOUT = 10_000;

/** The longest headers of an answer, in bytes: old applications keep much in cookies. */
const MAX_HEADERS = 65_536;

/** How a connection to an application is encrypted, and who it has to be. */
function tlsOptions({ to, ca, verifyCertificate }: ProxyRoute): {
  readonly servername: string;
  readonly rejectUnauthorized: boolean;
  readonly ca?: string;
} {
  const host = plainHost(to);
  return {
    // Not what the client asked, which the header Host may be. An address has no name to ask for.
    servername: isIP(host) > 0 ? '' : host,
    rejectUnauthorized: verifyCertificate,
    ...(ca === undefined ? {} : { ca }),
  };
}

/** What a request to an application carries besides its headers. */
export interface Carried {
  /** Path and query, letter by letter. */
  readonly path: string;
  /** Null where there is none. */
  readonly body: Readable | null;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
}

/** Under which a request's headers hold what else it carries: the plugin would take its URL apart, and read its body in its own way. */
export const CARRIED: unique symbol = Symbol('carried');

/** The connections to one application. */
export interface Application {
  /** Sends what {@link CARRIED} says. */
  readonly dispatcher: { readonly request: Dispatcher['request'] };
  /** Ends them, with what they carry. */
  readonly close: () => Promise<void>;
}

/** Opens nothing yet: connections are made when they are needed, and kept for others. */
export function applicationOf(route: ProxyRoute): Application {
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

/** How an application answers a request to speak another protocol. */
export type UpgradeAnswer =
  | { readonly kind: 'refused'; readonly answer: IncomingMessage }
  | {
      readonly kind: 'agreed';
      readonly answer: IncomingMessage;
      readonly socket: Duplex;
      /** What it has said already in the new protocol. */
      readonly head: Buffer;
    };

/**
 * Asks an application for a web socket, on a connection of its own.
 * @throws Error where it does not answer, or the signal is aborted before
 */
export function askUpgrade(
  route: ProxyRoute,
  path: string,
  headers: OutgoingHttpHeaders,
  signal: AbortSignal,
): Promise<UpgradeAnswer> {
  const { protocol, port } = new URL(route.to);
  const request = protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const asking = request({
      ...tlsOptions(route),
      host: plainHost(route.to),
      port: port === '' ? null : port,
      path,
      headers: { ...headers, connection: 'Upgrade', upgrade: 'websocket' },
      agent: false,
      maxHeaderSize: MAX_HEADERS,
    });
    const late = setTimeout(() => {
      asking.destroy(Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' }));
    }, route.timeoutSeconds * 1000);
    const leave = (): void => void asking.destroy(new Error('the client has gone'));
    const ignoreAbort = onAbort(signal, leave);
    const answered = (answer: UpgradeAnswer): void => {
      clearTimeout(late);
      ignoreAbort();
      resolve(answer);
    };
    asking.on('upgrade', (answer, socket, head) => {
      answered({ kind: 'agreed', answer, socket, head });
    });
    asking.on('response', (answer) => answered({ kind: 'refused', answer }));
    asking.on('error', (error) => {
      clearTimeout(late);
      ignoreAbort();
      reject(error);
    });
    if (signal.aborted) leave();
    asking.end();
  });
}

function plainHost(url: string): string {
  return new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
}

/** What the client of an application that does not answer is told; the cause goes to the log. */
export function applicationError(error: unknown): ProtocolError {
  return ProtocolError.of(
    isTimeout(error) ? 'applicationTimeout' : 'applicationUnavailable',
    error,
  );
}

/** Timeouts of undici's, or of a connection that Node could not open. */
function isTimeout(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ETIMEDOUT' || /^UND_ERR_.*_TIMEOUT$/.test(code ?? '') || isTimeout(error.cause);
}
