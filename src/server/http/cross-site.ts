import { ProtocolError } from '../../base/errors.ts';
import type { RestRequest } from '../../protocol/rest-request.ts';

/** Headers that no browser sends for another site before this one has allowed it. */
const OWN_HEADERS = ['x-requested-with', 'api-key', 'username-4d', 'password-4d'] as const;

/** The pages of other sites that may call, as `cors:` of the configuration names them. */
export interface CrossOrigins {
  /** `*` stands for all. */
  readonly origins: readonly string[];
  /** Whether they may send what the browser adds by itself: cookies, and names with passwords that it keeps. */
  readonly credentials: boolean;
}

/** Where no page of another site may call. */
export const NO_ORIGINS: CrossOrigins = { origins: [], credentials: false };

/** What of a request tells which page had it made. */
type Sent = Pick<RestRequest, 'verb' | 'headers' | 'host' | 'isSecure'>;

/**
 * Refuses what changes something where a browser says that another site has it do so: the browser would send the user's cookie, or password, with it
 * (DECISIONS, "Sessions and login"). Other programs than browsers say nothing of sites.
 * https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/Sec-Fetch-Site
 * @param sessionHeader the header that names a session, in lower case
 * @throws ProtocolError crossSite
 */
export function refuseCrossSite(sent: Sent, named: CrossOrigins, sessionHeader: string): void {
  const { headers } = sent;
  const site = headers['sec-fetch-site'];
  if (site === 'same-origin' || site === 'none') return;
  const { origin } = headers;
  if (site === undefined && origin === undefined) return;
  if ([...OWN_HEADERS, sessionHeader].some((name) => headers[name] !== undefined)) return;
  if (/^bearer /i.test(headers.authorization ?? '')) return;
  if (origin !== undefined && isTrusted(origin, sent, named)) return;
  if (site === undefined && origin !== undefined && isOwn(origin, sent)) return;
  throw new ProtocolError(
    'crossSite',
    'Cross-site request rejected. Send the header X-Requested-With, or add the site to cors.origins and set cors.credentials.',
  );
}

/**
 * Whether an origin is one whose pages may have this done. CORS says who may read answers, and send what is not a form; a form any page sends, and what the
 * browser adds goes with it. So where pages may not send credentials, nothing counts that holds any, nor what no browser asks about before it sends it.
 * https://fetch.spec.whatwg.org/#cors-preflight-fetch
 */
function isTrusted(
  origin: string,
  { verb, headers }: Sent,
  { origins, credentials }: CrossOrigins,
): boolean {
  if (credentials) return origins.includes(origin);
  if (!origins.includes(origin) && !origins.includes('*')) return false;
  if (headers.cookie !== undefined || headers.authorization !== undefined) return false;
  const isJson = /^application\/json *(?:;|$)/i.test(headers['content-type'] ?? '');
  return verb === 'PUT' || verb === 'DELETE' || isJson;
}

/**
 * Whether an origin is the gateway's own. The port that a scheme implies is the same whether it is written or not; a connection
 * that does not arrive encrypted may have been so before a proxy that is not named.
 */
function isOwn(origin: string, { host, isSecure }: Sent): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, host: named } = new URL(origin);
  if (named === '' || (isSecure && protocol !== 'https:')) return false;
  const own = `${protocol}//${host}`;
  return URL.canParse(own) && new URL(own).host === named;
}
