import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { catching, ProtocolError } from '../../base/errors.ts';
import { excerpt } from '../../base/text.ts';
import type { RestRequest } from '../../protocol/rest-request.ts';
import type { StateStore } from '../../state/shared/state-store.ts';

/** How many clients are counted at once, so that memory is bounded; the least recent ones are forgotten first. */
const MAX_CLIENTS = 20_000;

const MINUTE = 60_000;

export interface RateLimit {
  readonly perMinute: number;
  /** Where several gateways count together; null where this one counts alone. */
  readonly store: Pick<StateStore, 'client' | 'key'> | null;
}

/**
 * Limits the requests of each client, on every path but the probes', before a body is read. Clients are counted by address, or by network of
 * IPv6 (RFC 4291, 2.5.4). A minute begins with a client's first request, so that it may send twice as many across two of them.
 */
export function limitRate(server: FastifyInstance, { perMinute, store }: RateLimit): void {
  server.register(rateLimit, {
    global: false,
    max: perMinute,
    timeWindow: MINUTE,
    cache: MAX_CLIENTS,
    // While the store cannot be reached, nobody is refused.
    ...(store !== null && {
      redis: store.client,
      nameSpace: `${store.key('rate')}:`,
      skipOnError: true,
    }),
  });
  server.after(() => {
    const count = server.createRateLimit();
    server.addHook('onRequest', async (request, reply) => {
      if (isProbe(request)) return;
      const counted = await count(request);
      if (counted.isAllowed || !counted.isExceeded) return;
      const seconds = Math.max(1, counted.ttlInSeconds);
      void reply.header('retry-after', seconds);
      const message = `A client may send ${perMinute} ${perMinute === 1 ? 'request' : 'requests'} a minute. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
      throw new ProtocolError('tooManyRequests', message);
    });
  });
}

/** An address as some proxies write it: with the port, and with brackets around IPv6. */
const WITH_PORT = /^(?:\[([^\]]*)\]|([^:]*))(?::\d{1,5})?$/;

/**
 * Reduces `X-Forwarded-For` to addresses without ports, which a client could vary to be counted anew. Each proxy appends its caller to the right;
 * what stands to the left of something that is not an address cannot be trusted, and is removed.
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

const PROBES = ['/health/live', '/health/ready'];

/** Whether a path, without its query, is a health probe's. */
export function isProbePath(path: string): boolean {
  return PROBES.includes(path);
}

/** Whether a request is a health probe, which anybody may send. */
export function isProbe({ routeOptions: { url } }: FastifyRequest): boolean {
  return url?.startsWith('/health/') === true;
}

export interface AdmissionSettings {
  readonly maxUrlBytes?: number | undefined;
  readonly served: {
    readonly handling: {
      /** The gateway's host names, where requests need no login; null where any name is accepted. */
      readonly unauthenticatedHosts: readonly string[] | null;
    };
  };
}

/** Whether a request, such as a probe, names the gateway by a name that other requests may name it by. */
export function isOwnHost(request: FastifyRequest, names: readonly string[]): boolean {
  const check = (): boolean => {
    checkHosts(request, names);
    return true;
  };
  return catching(ProtocolError, check, () => false);
}

/** @throws ProtocolError badHost for a name that is not the gateway's */
export function checkHosts({ host, originalUrl }: FastifyRequest, names: readonly string[]): void {
  checkHost(host, names);
  // A host in the target counts, whatever Host says (RFC 9112, 3.2.2).
  checkHost(hostOf(originalUrl), names);
}

/** Refuses requests that can be refused by their URL, Host, Expect and Transfer-Encoding alone. */
export function checkHeads(
  server: FastifyInstance,
  { maxUrlBytes = Infinity, served }: AdmissionSettings,
): void {
  server.addHook('onRequest', (request, _reply, done) => {
    const { raw, originalUrl } = request;
    try {
      checkProtocol(raw);
      if (originForm(originalUrl).length > maxUrlBytes) {
        throw new ProtocolError('urlTooLong', `The URL is longer than ${maxUrlBytes} bytes.`);
      }
      const { unauthenticatedHosts: hosts } = served.handling;
      if (hosts !== null && !isProbe(request)) checkHosts(request, hosts);
      done();
    } catch (error) {
      done(error as Error);
    }
  });
}

/** @throws ProtocolError badRequest, expectationFailed, badMediaType for what the gateway does not support of HTTP/1.1 */
function checkProtocol({ headers, rawHeaders, httpVersion }: IncomingMessage): void {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    throw new ProtocolError('badRequest', 'The gateway speaks HTTP/1.1.');
  }
  if (httpVersion === '1.1' && headers.host === undefined) {
    throw new ProtocolError('badRequest', 'The Host header is missing.');
  }
  if (rawHeaders.filter(isHost).length > 1) {
    throw new ProtocolError('badRequest', 'There are two Host headers.');
  }
  // HTTP/1.0 has no expectations (RFC 9110, 10.1.1).
  const expect = httpVersion === '1.0' ? undefined : headers.expect;
  if (expect !== undefined && !/(?:^|\W)100-continue(?:$|\W)/i.test(expect)) {
    const message =
      'This Expect header is not supported: expected 100-continue or no Expect header.';
    throw new ProtocolError('expectationFailed', message);
  }
  // Node decodes chunks only (RFC 9112, 6.1), and itself refuses codings that do not end with them.
  const coding = headers['transfer-encoding']?.trim().toLowerCase() ?? '';
  if (coding !== 'chunked' && coding.endsWith('chunked')) {
    const message = `Transfer-Encoding ${coding.slice(0, 100)} is not supported. Send the body unencoded, in chunks or with its length.`;
    throw new ProtocolError('badMediaType', message);
  }
}

/** Whether an item of raw headers is the name Host (RFC 9112, 3.2). */
function isHost(text: string, index: number): boolean {
  return text.length === 4 && index % 2 === 0 && text.toLowerCase() === 'host';
}

/**
 * Refuses a name that is not the gateway's, by status 421 (RFC 9110, 15.5.20). Without a login, an attacker whose own name resolves to the gateway
 * (DNS rebinding) could read it from a browser that can reach it. Addresses cannot be redirected so.
 * @param host the client's Host, with its port; programs that send none are not browsers
 */
function checkHost(host: string, names: readonly string[]): void {
  if (host === '' || host === lastLocal) return;
  const name = host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
  if (name === '' || needsNoName(name)) {
    lastLocal = host;
    return;
  }
  if (names.some((known) => known.toLowerCase() === name)) return;
  const message = `The host "${excerpt(name, 100)}" is not allowed: the gateway accepts localhost, IP addresses, and names that its operator has allowed.`;
  throw new ProtocolError('badHost', message).advising('server.hosts lists the names.');
}

/** Whether a host is an address or this machine: no name leads to it that somebody else could change. */
function needsNoName(host: string): boolean {
  const isLocal = host === 'localhost' || host.endsWith('.localhost');
  return isLocal || isIP(host.replace(/^\[(.*)\]$/, '$1')) > 0;
}

/** The host accepted last that does not depend on the names: mostly it is the same. */
let lastLocal = '';

/** Reduces a request target to path and query: proxies and old clients may send the absolute form `http://host/rest/…` (RFC 9112, 3.2.2). */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const absolute = /^https?:\/\/[^/?#]*([/?#].*)?$/is.exec(target);
  if (absolute === null) return target;
  const [, rest = ''] = absolute;
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** The host, with its port, in the absolute form of a target; empty for other forms. */
function hostOf(target: string): string {
  if (target.startsWith('/')) return '';
  const [, authority = ''] = /^https?:\/\/([^/?#]*)/is.exec(target) ?? [];
  return authority.slice(authority.lastIndexOf('@') + 1);
}

/** Headers that browsers do not send to another site unless it has allowed them. */
const OWN_HEADERS = ['x-requested-with', 'api-key', 'username-4d', 'password-4d'] as const;

/** The other sites whose pages may call, as `cors` of the configuration lists them. */
export interface CrossOrigins {
  /** `*` stands for all. */
  readonly origins: readonly string[];
  /** Whether they may send what the browser adds by itself: cookies and stored passwords. */
  readonly credentials: boolean;
}

/** Whether an origin is listed, or all are. */
export function isListed(origin: string, { origins }: Pick<CrossOrigins, 'origins'>): boolean {
  return origins.includes(origin) || origins.includes('*');
}

/** Whether a browser asks what a page may send, without credentials (https://fetch.spec.whatwg.org/#cors-preflight-fetch). */
export function isPreflight(method: string, headers: IncomingHttpHeaders): boolean {
  const { origin, 'access-control-request-method': asked } = headers;
  return method === 'OPTIONS' && origin !== undefined && asked !== undefined;
}

export const NO_ORIGINS: CrossOrigins = { origins: [], credentials: false };

/** Whether a request sends a token or an API key as `Authorization: Bearer …`, which no browser adds by itself. */
export function sendsToken({ authorization }: IncomingHttpHeaders): boolean {
  return /^bearer /i.test(authorization ?? '');
}

type RequestHead = Pick<RestRequest, 'verb' | 'headers' | 'host' | 'isSecure'>;

/**
 * Refuses a change that another site's page requests: the browser would add the user's cookie or password (DECISIONS, "Sessions and login").
 * Programs other than browsers send none of these headers. https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/Sec-Fetch-Site
 */
export function refuseCrossSite(
  sent: RequestHead,
  allowed: CrossOrigins,
  sessionHeader: string,
): void {
  const { headers } = sent;
  const site = headers['sec-fetch-site'];
  if (site === 'same-origin' || site === 'none') return;
  const { origin } = headers;
  if (site === undefined && origin === undefined) return;
  if ([...OWN_HEADERS, sessionHeader].some((name) => headers[name] !== undefined)) return;
  if (sendsToken(headers)) return;
  if (origin !== undefined && isTrusted(origin, sent, allowed)) return;
  if (site === undefined && origin !== undefined && isOwn(origin, sent)) return;
  const message =
    'Cross-site request rejected. Send the header X-Requested-With, or ask the gateway’s operator to allow the site.';
  throw new ProtocolError('crossSite', message).advising(
    `To allow ${origin ?? 'the site'}, add it to cors.origins, and set cors.credentials.`,
  );
}

/**
 * Refuses a page of another origin, whatever it wants, unless it is listed. A page of a name that it has led here (DNS rebinding) is none of the gateway's,
 * whatever Host says (https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning).
 */
export function refuseOtherOrigin(sent: RequestHead, allowed: CrossOrigins): void {
  const { origin } = sent.headers;
  if (origin === undefined || isListed(origin, allowed)) return;
  if (isOwn(origin, sent) && needsNoName(new URL(origin).hostname)) return;
  const message = 'Cross-site request rejected. Ask the gateway’s operator to allow the site.';
  throw new ProtocolError('crossSite', message).advising(
    `To allow ${origin}, add it to cors.origins.`,
  );
}

/**
 * Whether an origin may request changes. CORS governs reading answers and sending what is not a form; any page can send a form, with what the browser
 * adds. So without credentials a request must be one that the browser asks about first (https://fetch.spec.whatwg.org/#cors-preflight-fetch).
 */
function isTrusted(origin: string, { verb, headers }: RequestHead, allowed: CrossOrigins): boolean {
  if (allowed.credentials) return allowed.origins.includes(origin);
  if (!isListed(origin, allowed)) return false;
  if (headers.cookie !== undefined || headers.authorization !== undefined) return false;
  const isJson = /^application\/json *(?:;|$)/i.test(headers['content-type'] ?? '');
  return verb === 'PUT' || verb === 'PATCH' || verb === 'DELETE' || isJson;
}

/** Whether an origin is the gateway's own, with or without its default port; a proxy that is not configured may have ended the encryption. */
function isOwn(origin: string, { host, isSecure }: RequestHead): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, host: named } = new URL(origin);
  if (named === '' || (isSecure && protocol !== 'https:')) return false;
  const own = `${protocol}//${host}`;
  return URL.canParse(own) && new URL(own).host === named;
}
