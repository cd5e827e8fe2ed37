import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { looksLikeApiKey } from '../../access/auth/api-keys.ts';
import type { Principal } from '../../base/principal.ts';
import type { SessionNames } from '../../state/session/sessions.ts';
import { HOP_BY_HOP, listed } from '../http/headers.ts';
import type { ProxyRoute } from './routes.ts';

export interface Forwarded {
  readonly headers: IncomingHttpHeaders;
  readonly id: string;
  /** The addresses that it came by, the client's last, as far as proxies are trusted. */
  readonly addresses: readonly string[];
  /** The client's Host, with its port; empty where it sent none. */
  readonly host: string;
  readonly protocol: string;
  /** Null where the route needs no authentication. */
  readonly principal: Principal | null;
  /** The id of this gateway in {@link HOPS}. */
  readonly hop: string;
}

/** The header that lists the gateways that forwarded a request, by which one recognises a loop. */
export const HOPS = 'x-entitygate-hop';

/** Headers that concern the client's connection; Expect has been answered. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  'http2-settings',
  'proxy-authorization',
  'expect',
]);

/** Headers that applications trust because proxies send them. */
const OF_PROXIES = /^(?:x-forwarded-.*|forwarded|x-real-ip|x-original-.*|x-rewrite-url)$/;

/**
 * Makes the headers for the application. Those about the user and the way of the request come from the gateway alone: what the client sends by
 * the same names is removed, also with _, which some servers treat as -.
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
    withheld.has(name) || OF_CONNECTION.has(name) || OF_PROXIES.test(name);
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

/** Removes the gateway's credentials: an application that had them could act as the user, in the API as well. */
function withoutCredentials(
  headers: IncomingHttpHeaders,
  { authentication, forwardCredentials }: ProxyRoute,
  { cookie, header }: SessionNames,
): IncomingHttpHeaders {
  if (forwardCredentials) return headers;
  const isNeeded = authentication !== false;
  const key = String(headers['api-key'] ?? '');
  const token = headers.authorization?.replace(/^bearer +/i, '') ?? '';
  const cookies = withoutCookie(headers.cookie, cookie);
  const withheld = [
    header,
    'cookie',
    ...(isNeeded || looksLikeApiKey(key) ? ['api-key'] : []),
    ...(isNeeded || looksLikeApiKey(token) ? ['authorization'] : []),
  ];
  const kept = Object.entries(headers).filter(([name]) => !withheld.includes(name));
  return { ...Object.fromEntries(kept), ...(cookies === '' ? {} : { cookie: cookies }) };
}

/** Removes the cookies of one name, and keeps the others as they came. */
function withoutCookie(cookies = '', name: string): string {
  return cookies
    .split(';')
    .filter((pair) => pair.split('=', 1)[0]?.trim() !== name)
    .join(';')
    .trim();
}

/** Percent-encodes, as UTF-8 (RFC 3986, 2.1), what is not visible ASCII, and % and commas. */
function headerText(text: string): string {
  return text.toWellFormed().replace(/[^\x21-\x7e]|[%,]/gu, encodeURIComponent);
}
