import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';

/** The header by which workers know each other's requests. */
const SECRET_HEADER = 'x-entitygate-worker';

/** The header with what a worker knows of the client of a request that it hands over. */
const CLIENT_HEADER = 'x-entitygate-client';

/** What the connection tells of its client, and no header does. */
interface ClientFacts {
  readonly address: string | undefined;
  readonly port: number | undefined;
  readonly isSecure: boolean;
  readonly httpVersion: string;
}

/** The headers by which a worker says that it is one. */
export function secretHeaders(secret: string): string[] {
  return [SECRET_HEADER, secret];
}

/** Whether a request comes from a worker; nobody else has the secret. */
export function isFromWorker({ headers }: IncomingMessage, secret: string): boolean {
  const given = Buffer.from(String(headers[SECRET_HEADER] ?? ''));
  const known = Buffer.from(secret);
  return given.length === known.length && timingSafeEqual(given, known);
}

/** The headers of a request that was handed over, names and values in turn: those that its client sent, and what is known of the client. */
export function handedHeaders(request: IncomingMessage, secret: string): string[] {
  const { socket, rawHeaders, httpVersion } = request;
  const facts: ClientFacts = {
    address: socket.remoteAddress,
    port: socket.remotePort,
    isSecure: (socket as Partial<TLSSocket>).encrypted === true,
    httpVersion,
  };
  const told = Buffer.from(JSON.stringify(facts)).toString('base64url');
  return [...withoutOwn(rawHeaders), ...secretHeaders(secret), CLIENT_HEADER, told];
}

/**
 * Makes a request that was handed over the one that its client sent: with the client's address, and without what was written for it to be handed over.
 * @returns false where it is none that was handed over
 */
export function takeFacts(request: IncomingMessage): boolean {
  const told = request.headers[CLIENT_HEADER];
  if (typeof told !== 'string') return false;
  const facts = JSON.parse(Buffer.from(told, 'base64url').toString('utf8')) as ClientFacts;
  request.rawHeaders = withoutOwn(request.rawHeaders);
  for (const name of [SECRET_HEADER, CLIENT_HEADER]) Reflect.deleteProperty(request.headers, name);
  request.httpVersion = facts.httpVersion;
  Object.defineProperties(request.socket, {
    remoteAddress: { value: facts.address, configurable: true },
    remotePort: { value: facts.port, configurable: true },
    encrypted: { value: facts.isSecure, configurable: true },
  });
  return true;
}

/** Of names and values in turn, those that clients may send. */
function withoutOwn(rawHeaders: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = [rawHeaders[at], rawHeaders[at + 1]];
    const lower = name.toLowerCase();
    if (lower !== SECRET_HEADER && lower !== CLIENT_HEADER) kept.push(name, value);
  }
  return kept;
}
