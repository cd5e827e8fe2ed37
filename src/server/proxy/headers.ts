import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { looksLikeApiKey } from '../../access/auth/api-keys.ts';
import type { Principal } from '../../base/principal.ts';
import { before } from '../../base/text.ts';
import { isOwnCookie, type SessionNames } from '../../state/session/sessions.ts';
import { basePath, type ProxyRoute } from './routes.ts';

/** Headers of an answer, by their names in lower case. */
export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The addresses of an application as it writes them. */
interface Addresses {
  readonly route: ProxyRoute;
  /** The client's Host, which an application that gets it writes in its own URLs. */
  readonly clientHost: string;
}

/**
 * Makes the client's headers of an application's answer: with the gateway's addresses, and without headers that the gateway itself sends, such as the
 * session's cookie, by which an application could give somebody a session.
 */
export function answerHeaders(
  headers: AnswerHeaders,
  addresses: Addresses,
  sessionNames: SessionNames,
): OutgoingHttpHeaders {
  const withheld = new Set([
    ...HOP_BY_HOP,
    ...listed(headers['connection']),
    'x-request-id',
    sessionNames.header,
  ]);
  const result: OutgoingHttpHeaders = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || withheld.has(name)) continue;
    const rewritten = rewrite(name, value, addresses, sessionNames);
    if (rewritten.length > 0) result[name] = rewritten;
  }
  return result;
}

function rewrite(
  name: string,
  value: string | string[],
  addresses: Addresses,
  sessionNames: SessionNames,
): string | string[] {
  const each = (work: (text: string) => string): string | string[] =>
    typeof value === 'string' ? work(value) : value.map(work);
  switch (name) {
    case 'location':
    case 'content-location':
      return each((url) => clientUrl(url, addresses));
    case 'refresh':
      return each((text) => clientRefresh(text, addresses));
    case 'set-cookie':
      return [value]
        .flat()
        .filter((text) => !isOwnCookie(cookieName(text), sessionNames))
        .map((text) => clientCookie(text, addresses));
    default:
      return value;
  }
}

/** Rewrites a URL that leads to the application below its base path, so that it leads to the prefix. Relative URLs, other hosts and other paths stay. */
export function clientUrl(url: string, addresses: Addresses): string {
  const [whole = '', scheme = '', authority] = /^(?:(https?:)?\/\/([^/?#\\]*))?/i.exec(url) ?? [];
  const path = url.slice(whole.length);
  if (authority !== undefined && !isApplication(scheme, authority, addresses)) return url;
  const { route } = addresses;
  const base = basePath(route);
  const below = authority !== undefined && path === '' ? '/' : path;
  const isBelow = below.startsWith(base) && /^(?:$|[/?#])/.test(below.slice(base.length));
  if (!isBelow || !/^[/?#]/.test(below)) return url;
  // A query alone is relative.
  if (authority === undefined && !below.startsWith('/')) return url;
  const prefix = route.prefix === '/' ? '' : route.prefix;
  const rewritten = prefix + below.slice(base.length);
  // Two slashes at the beginning would name another host.
  if (/^[/\\]{2}/.test(rewritten)) return url;
  return rewritten.startsWith('/') ? rewritten : `/${rewritten}`;
}

/** Rewrites the header `Refresh`, `5; url=/next`, which old applications send. */
export function clientRefresh(value: string, addresses: Addresses): string {
  const [head] = /^[^;,]*[;,]\s*url\s*=\s*/i.exec(value) ?? [];
  if (head === undefined) return value;
  const quoted = value.slice(head.length);
  const [quote = ''] = /^['"]/.exec(quoted) ?? [];
  if (!quoted.endsWith(quote) || (quote !== '' && quoted.length < 2)) return value;
  const url = quoted.slice(quote.length, quoted.length - quote.length);
  return head + quote + clientUrl(url, addresses) + quote;
}

/** Rewrites a cookie: its path to the prefix, and without the application's own domain, which browsers would not accept from the gateway. */
export function clientCookie(cookie: string, addresses: Addresses): string {
  const { route } = addresses;
  const own = new URL(route.to).hostname;
  const [pair = '', ...attributes] = cookie.split(';');
  const kept = attributes.flatMap((attribute) => {
    const name = before(attribute, '=');
    const value = attribute.slice(name.length + 1).trim();
    switch (name.trim().toLowerCase()) {
      case 'domain':
        return value.replace(/^\./, '').toLowerCase() === own ? [] : [attribute];
      case 'path':
        return value.startsWith('/') ? [` Path=${cookiePath(value, addresses)}`] : [attribute];
      default:
        return [attribute];
    }
  });
  return [pair, ...kept].join(';');
}

/** A cookie for /app/ would not be sent with /app itself. */
function cookiePath(path: string, addresses: Addresses): string {
  const { route } = addresses;
  return path === '/' && basePath(route) === '' ? route.prefix : clientUrl(path, addresses);
}

function isApplication(
  scheme: string,
  authority: string,
  { route, clientHost }: Addresses,
): boolean {
  const own = new URL(route.to);
  const text = `${scheme === '' ? own.protocol : scheme}//${authority}`;
  if (authority.includes('@') || !URL.canParse(text)) return false;
  const { origin, host } = new URL(text);
  return origin === own.origin || (route.preserveHost && host === clientHost.toLowerCase());
}

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
  sessionNames: SessionNames,
): IncomingHttpHeaders {
  if (forwardCredentials) return headers;
  const isNeeded = authentication !== false;
  const key = String(headers['api-key'] ?? '');
  const token = headers.authorization?.replace(/^bearer +/i, '') ?? '';
  const cookies = withoutOwnCookies(headers.cookie, sessionNames);
  const withheld = [
    sessionNames.header,
    'cookie',
    ...(isNeeded || looksLikeApiKey(key) ? ['api-key'] : []),
    ...(isNeeded || looksLikeApiKey(token) ? ['authorization'] : []),
  ];
  const kept = Object.entries(headers).filter(([name]) => !withheld.includes(name));
  return { ...Object.fromEntries(kept), ...(cookies === '' ? {} : { cookie: cookies }) };
}

/** Removes the gateway's cookies, and keeps the others as they came. */
function withoutOwnCookies(cookies = '', sessionNames: SessionNames): string {
  return cookies
    .split(';')
    .filter((pair) => !isOwnCookie(cookieName(pair), sessionNames))
    .join(';')
    .trim();
}

/** The name of a cookie, before its `=`. */
function cookieName(text: string): string {
  return (text.split('=', 1)[0] ?? '').trim();
}

/** Percent-encodes, as UTF-8 (RFC 3986, 2.1), what is not visible ASCII, and % and commas. */
function headerText(text: string): string {
  return text.toWellFormed().replace(/[^\x21-\x7e]|[%,]/gu, encodeURIComponent);
}

/** Headers that concern one connection only (RFC 9110, 7.6.1). */
export const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Headers that concern the client's connection; Expect has been answered. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  'http2-settings',
  'proxy-authorization',
  'expect',
]);

/** Splits a header that is a list into its items, in lower case. */
export function listed(value: string | readonly string[] | undefined): readonly string[] {
  return String(value ?? '')
    .toLowerCase()
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** Pairs raw headers, which are names and values in turn. */
export function headerPairs(rawHeaders: readonly string[]): [name: string, value: string][] {
  return Array.from({ length: rawHeaders.length / 2 }, (_, index) => [
    rawHeaders[2 * index] ?? '',
    rawHeaders[2 * index + 1] ?? '',
  ]);
}

/** Writes the head of a request, for a connection that takes text. */
export function requestHead(
  { method = 'GET', url = '/' }: IncomingMessage,
  httpVersion: string,
  headers: readonly (readonly [name: string, value: string])[],
): string {
  const fields = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${url} HTTP/${httpVersion}\r\n${fields.join('')}\r\n`;
}
