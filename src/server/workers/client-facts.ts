import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { withoutHeaders } from '../http/headers.ts';

/** The header by which workers recognise each other's requests. */
const SECRET_HEADER = 'x-entitygate-worker';

/** The header that describes the client of a request that is handed over. */
const CLIENT_HEADER = 'x-entitygate-client';

const OWN_HEADERS: ReadonlySet<string> = new Set([SECRET_HEADER, CLIENT_HEADER]);

/** What the connection says about its client, and no header does. */
interface ClientFacts {
  readonly address: string | undefined;
  readonly port: number | undefined;
  readonly isSecure: boolean;
  readonly httpVersion: string;
}

/** The raw headers by which a worker identifies itself. */
export function secretHeaders(secret: string): string[] {
  return [SECRET_HEADER, secret];
}

/** Whether a request comes from a worker; nobody else has the secret. */
export function isFromWorker({ headers }: IncomingMessage, secret: string): boolean {
  const given = Buffer.from(String(headers[SECRET_HEADER] ?? ''));
  const known = Buffer.from(secret);
  return given.length === known.length && timingSafeEqual(given, known);
}

/** The raw headers of a request that is handed over: the client's, and those that describe the client. */
export function handedHeaders(request: IncomingMessage, secret: string): string[] {
  const { socket, rawHeaders, httpVersion } = request;
  const facts: ClientFacts = {
    address: socket.remoteAddress,
    port: socket.remotePort,
    isSecure: (socket as Partial<TLSSocket>).encrypted === true,
    httpVersion,
  };
  const text = Buffer.from(JSON.stringify(facts)).toString('base64url');
  const own = [...secretHeaders(secret), CLIENT_HEADER, text];
  return [...withoutHeaders(rawHeaders, OWN_HEADERS), ...own];
}

/**
 * Restores a request that was handed over as its client sent it.
 * @returns false where it was not handed over
 */
export function takeFacts(request: IncomingMessage): boolean {
  const text = request.headers[CLIENT_HEADER];
  if (typeof text !== 'string') return false;
  const facts = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as ClientFacts;
  request.rawHeaders = withoutHeaders(request.rawHeaders, OWN_HEADERS);
  for (const name of OWN_HEADERS) Reflect.deleteProperty(request.headers, name);
  request.httpVersion = facts.httpVersion;
  Object.defineProperties(request.socket, {
    remoteAddress: { value: facts.address, configurable: true },
    remotePort: { value: facts.port, configurable: true },
    encrypted: { value: facts.isSecure, configurable: true },
  });
  return true;
}
