import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import rateLimit, { normalizeIP } from '@fastify/rate-limit';
import { ProtocolError } from '../../base/errors.ts';
import { isProbe } from './reply.ts';
import { excerpt } from '../../base/text.ts';

/** How many clients are counted at once, so that memory is bounded; of more, those that were seen last are. */
const MOST_CLIENTS = 20_000;

const MINUTE = 60_000;

/** A client's address. Of IPv6 it is the network: a client has as many addresses of its own as it likes (RFC 4291, 2.5.4). */
function addressOf({ ip }: FastifyRequest): string {
  return normalizeIP(ip);
}

/**
 * Refuses what a client sends beyond its share, on every path but the probes' and before a body is read.
 * Minutes are counted from a client's first request, so that it may send twice as many across the border of two.
 */
export function limitRate(server: FastifyInstance, requestsPerMinute: number): void {
  server.register(rateLimit, {
    global: false,
    max: requestsPerMinute,
    timeWindow: MINUTE,
    keyGenerator: addressOf,
    cache: MOST_CLIENTS,
  });
  server.after(() => {
    const count = server.createRateLimit();
    server.addHook('onRequest', async (request, reply) => {
      if (isProbe(request)) return;
      const counted = await count(request);
      if (counted.isAllowed || !counted.isExceeded) return;
      const seconds = Math.max(1, counted.ttlInSeconds);
      void reply.header('retry-after', seconds);
      throw new ProtocolError(
        'tooManyRequests',
        `A client may send ${requestsPerMinute} ${requestsPerMinute === 1 ? 'request' : 'requests'} a minute. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
      );
    });
  });
}

/** An address as some proxies write it: with the port of the connection, and of IPv6 in brackets. */
const WITH_PORT = /^(?:\[([^\]]*)\]|([^:]*))(?::\d{1,5})?$/;

/**
 * Leaves of `X-Forwarded-For` the addresses alone, by which clients are counted: whoever takes another port would be somebody else. Each proxy adds who
 * called it to the right; where that is not an address, nobody knows who said what stands to its left, and it does not count.
 */
export function keepAddresses(headers: IncomingHttpHeaders): void {
  const given = headers['x-forwarded-for'];
  if (typeof given !== 'string') return;
  const kept: string[] = [];
  for (const word of given.split(',').reverse()) {
    const address = addressIn(word.trim());
    if (address === null) break;
    kept.unshift(address);
  }
  if (kept.length > 0) headers['x-forwarded-for'] = kept.join(', ');
  else delete headers['x-forwarded-for'];
}

function addressIn(word: string): string | null {
  const [, v6, v4] = WITH_PORT.exec(word) ?? [];
  if (v6 !== undefined) return isIP(v6) === 6 ? v6 : null;
  if (v4 !== undefined && isIP(v4) === 4) return v4;
  return isIP(word) > 0 ? word : null;
}

/**
 * Refuses a name that the gateway does not go by. Where nobody has to log in, whoever makes a name of its own lead to the
 * gateway (DNS rebinding) would read it from inside a browser that may reach it. An address is nobody's to redirect. The status is 421:
 * that a server is not configured to answer for a name (RFC 9110, 15.5.20).
 * @param host the host, and port, that the client asked; what sends none is not a browser
 * @param names those that the gateway goes by, besides addresses and localhost
 * @throws ProtocolError badHost
 */
function checkHost(host: string, names: readonly string[]): void {
  // Who names no server in the target names none there.
  if (host === '' || host === lastLocal) return;
  const name = host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
  const isAddress = isIP(name.replace(/^\[(.*)\]$/, '$1')) > 0;
  const isLocal = name === 'localhost' || name.endsWith('.localhost');
  if (name === '' || isAddress || isLocal) {
    lastLocal = host;
    return;
  }
  if (names.some((known) => known.toLowerCase() === name)) return;
  throw new ProtocolError(
    'badHost',
    `The gateway is not known as "${excerpt(name, 100)}": without authentication it answers to the names in server.hosts, to localhost, and to addresses.`,
  );
}

/** The one that was let in last whatever names there are: mostly it is the same. */
let lastLocal = '';

/** What requests are let in by. */
export interface AdmissionSettings {
  /** The longest URL. */
  readonly maxUrlBytes?: number | undefined;
  /** The names that the gateway goes by, where nobody has to log in; where it is left out, it answers to any. */
  readonly unauthenticatedHosts?: readonly string[] | undefined;
}

/** Refuses by its URL, Host and Expect alone what needs no more to be refused. */
export function refuseUnseen(
  server: FastifyInstance,
  { maxUrlBytes = Infinity, unauthenticatedHosts }: AdmissionSettings,
): void {
  server.addHook('onRequest', (request, _reply, done) => {
    const { raw, host, originalUrl } = request;
    try {
      if (raw.httpVersion !== '1.1' && raw.httpVersion !== '1.0') {
        throw new ProtocolError('badRequest', 'The gateway speaks HTTP/1.1.');
      }
      if (raw.httpVersion === '1.1' && raw.headers.host === undefined) {
        throw new ProtocolError('badRequest', 'The header Host is missing.');
      }
      if (raw.rawHeaders.filter(isHost).length > 1) {
        throw new ProtocolError('badRequest', 'The header Host is there twice.');
      }
      refuseExpectation(raw);
      refuseCoding(raw);
      if (originForm(originalUrl).length > maxUrlBytes) {
        throw new ProtocolError('urlTooLong', `The URL is longer than ${maxUrlBytes} bytes.`);
      }
      if (unauthenticatedHosts !== undefined && !isProbe(request)) {
        checkHost(host, unauthenticatedHosts);
        // Who names a server in the target means that one, whatever Host says (RFC 9112, 3.2.2).
        checkHost(hostOf(originalUrl), unauthenticatedHosts);
      }
      done();
    } catch (error) {
      done(error as Error);
    }
  });
}

/** Of names and values in turn, whether one is the name of the header Host (RFC 9112, 3.2: there is one). */
function isHost(text: string, at: number): boolean {
  return text.length === 4 && at % 2 === 0 && text.toLowerCase() === 'host';
}

/** What a client may ask for beforehand is to be told to go on (RFC 9110, 10.1.1); of HTTP/1.0 it is passed over. */
function refuseExpectation({ headers: { expect }, httpVersion }: IncomingMessage): void {
  if (expect === undefined || httpVersion === '1.0') return;
  if (/(?:^|\W)100-continue(?:$|\W)/i.test(expect)) return;
  throw new ProtocolError(
    'expectationFailed',
    'The header Expect asks for what the gateway does not do: expected 100-continue, or no such header.',
  );
}

/** What bodies are sent in is chunks at most: Node undoes no other coding (RFC 9112, 6.1), and answers itself where chunks are not the last one. */
function refuseCoding({ headers }: IncomingMessage): void {
  const coding = headers['transfer-encoding']?.trim().toLowerCase() ?? '';
  if (coding === 'chunked' || !coding.endsWith('chunked')) return;
  throw new ProtocolError(
    'badMediaType',
    `The body is encoded, as Transfer-Encoding says: ${coding.slice(0, 100)}. Send it as it is, in chunks or with its length.`,
  );
}

/**
 * A request target as a path and query: proxies and old clients may send the absolute form `http://host/rest/…`, which every
 * server has to accept (RFC 9112, 3.2.2).
 */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const absolute = /^https?:\/\/[^/?#]*([/?#].*)?$/is.exec(target);
  if (absolute === null) return target;
  const [, rest = ''] = absolute;
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** The host, and port, that the absolute form of a target names; empty where it names none. */
function hostOf(target: string): string {
  if (target.startsWith('/')) return '';
  const [, authority = ''] = /^https?:\/\/([^/?#]*)/is.exec(target) ?? [];
  return authority.slice(authority.lastIndexOf('@') + 1);
}
