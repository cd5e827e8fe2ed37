import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { looksLikeApiKey } from '../../access/auth/api-keys.ts';
import type { Principal } from '../../base/principal.ts';
import type { SessionNames } from '../../state/session/sessions.ts';
import type { ProxyRoute } from './routes.ts';

/** A request that is to be forwarded, and what is known of it. */
export interface Forwarded {
  /** As they came. */
  readonly headers: IncomingHttpHeaders;
  readonly id: string;
  /** The addresses that it came by, the client's last, as far as proxies are trusted. */
  readonly addresses: readonly string[];
  /** The host that the client asked, with its port; empty where it named none. */
  readonly host: string;
  readonly protocol: string;
  /** Who asks; null where nobody is asked who they are. */
  readonly principal: Principal | null;
  /** What this gateway is known by to itself. */
  readonly hop: string;
}

/** Tells the gateways that forwarded a request, so that one knows its own again. */
export const HOPS = 'x-entitygate-hop';

/** Headers that are about one connection (RFC 9110, 7.6.1), with what clients send by that name. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  // It has been answered.
  'expect',
]);

/** What applications believe of a client because a proxy says it. */
const SAID_BY_PROXIES = /^(?:x-forwarded-.*|forwarded|x-real-ip|x-original-.*|x-rewrite-url)$/;

/**
 * The headers that the application is sent. Of who asks, and by which way, they say what the gateway knows: what clients say by the same names is
 * left out, also by names with _, which some servers take for -.
 */
export function requestHeaders(
  forwarded: Forwarded,
  route: ProxyRoute,
  sessionNames: SessionNames,
): OutgoingHttpHeaders {
  const { headers, principal, host } = forwarded;
  const withheld = new Set(
    [HOPS, 'host', route.userHeader, route.rolesHeader, ...Object.keys(route.headers)].map((name) =>
      name.toLowerCase(),
    ),
  );
  const isWithheld = (name: string): boolean =>
    withheld.has(name) || OF_CONNECTION.has(name) || SAID_BY_PROXIES.test(name);
  const named = listed(headers.connection);
  const own = Object.entries(withoutCredentials(headers, route, sessionNames)).filter(
    ([name]) => !named.includes(name) && !isWithheld(name.replaceAll('_', '-')),
  );
  return {
    ...Object.fromEntries(own),
    host: route.preserveHost && host !== '' ? host : new URL(route.to).host,
    'x-forwarded-for': forwarded.addresses.toReversed().join(', '),
    'x-forwarded-proto': forwarded.protocol,
    ...(host === '' ? {} : { 'x-forwarded-host': host }),
    'x-real-ip': forwarded.addresses.at(-1) ?? '',
    'x-request-id': forwarded.id,
    [HOPS]: [...listed(headers[HOPS]), forwarded.hop].join(', '),
    ...(principal?.name == null
      ? {}
      : {
          [route.userHeader.toLowerCase()]: headerText(principal.name),
          [route.rolesHeader.toLowerCase()]: principal.roles.map(headerText).join(', '),
        }),
    ...Object.fromEntries(
      Object.entries(route.headers).map(([name, value]) => [name.toLowerCase(), value]),
    ),
  };
}

/** The items of a header that is a list, in lower case. */
export function listed(value: string | readonly string[] | undefined): readonly string[] {
  return String(value ?? '')
    .toLowerCase()
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** Without what the gateway knows its users by: whoever has it is the user, of the API as well. */
function withoutCredentials(
  headers: IncomingHttpHeaders,
  { authentication, forwardCredentials }: ProxyRoute,
  { cookie, header }: SessionNames,
): IncomingHttpHeaders {
  if (forwardCredentials) return headers;
  const isAsked = authentication !== false;
  const key = String(headers['api-key'] ?? '');
  const token = headers.authorization?.replace(/^bearer +/i, '') ?? '';
  const cookies = withoutCookie(headers.cookie, cookie);
  const withheld = [
    header,
    'cookie',
    ...(isAsked || looksLikeApiKey(key) ? ['api-key'] : []),
    ...(isAsked || looksLikeApiKey(token) ? ['authorization'] : []),
  ];
  const kept = Object.entries(headers).filter(([name]) => !withheld.includes(name));
  return { ...Object.fromEntries(kept), ...(cookies === '' ? {} : { cookie: cookies }) };
}

/** The cookies of a request but for those of one name, as they came. */
function withoutCookie(cookies = '', name: string): string {
  return cookies
    .split(';')
    .filter((pair) => pair.split('=', 1)[0]?.trim() !== name)
    .join(';')
    .trim();
}

/** A name as a header can hold it: what is not a visible letter of ASCII, % and commas are percent-encoded as UTF-8 (RFC 3986, 2.1). */
function headerText(text: string): string {
  return text.toWellFormed().replace(/[^\x21-\x7e]|[%,]/gu, encodeURIComponent);
}
