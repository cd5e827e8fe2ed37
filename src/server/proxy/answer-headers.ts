import type { OutgoingHttpHeaders } from 'node:http';
import type { SessionNames } from '../../state/session/sessions.ts';
import { listed } from './request-headers.ts';
import { before } from '../../base/text.ts';
import { basePath, type ProxyRoute } from './routes.ts';

/** Headers of an answer, by their names in lower case. */
export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Headers that are about the connection to the application alone (RFC 9110, 7.6.1). */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * The headers of an application's answer as the client gets them: addresses in its terms, and nothing that would stand in for the gateway's own, such as a
 * cookie of the session's name, by which an application could hand a session to somebody.
 */
export function answerHeaders(
  headers: AnswerHeaders,
  addresses: Addresses,
  sessionNames: SessionNames,
): OutgoingHttpHeaders {
  const withheld = new Set([
    ...OF_CONNECTION,
    ...listed(headers['connection']),
    'x-request-id',
    sessionNames.header,
  ]);
  const result: OutgoingHttpHeaders = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || withheld.has(name)) continue;
    const told = rewritten(name, value, addresses, sessionNames);
    if (told.length > 0) result[name] = told;
  }
  return result;
}

function rewritten(
  name: string,
  value: string | string[],
  addresses: Addresses,
  { cookie }: SessionNames,
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
        .filter((text) => text.split('=', 1)[0]?.trim() !== cookie)
        .map((text) => clientCookie(text, addresses));
    default:
      return value;
  }
}

/** Where URLs that an application writes lead, and by what its clients know the same. */
interface Addresses {
  readonly route: ProxyRoute;
  /** The host that the client asked; an application that is told it writes it in its own URLs. */
  readonly clientHost: string;
}

/**
 * A URL that the application wrote, as clients of the gateway have to write it: what leads to the application below its base path leads to
 * the prefix. Others are as they were: relative ones, other hosts, other paths of the application.
 */
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
  // Two slashes at the beginning would be another host's name.
  if (/^[/\\]{2}/.test(rewritten)) return url;
  return rewritten.startsWith('/') ? rewritten : `/${rewritten}`;
}

/** The header `Refresh`, `5; url=/next`, which browsers know from old applications. */
export function clientRefresh(value: string, addresses: Addresses): string {
  const [head] = /^[^;,]*[;,]\s*url\s*=\s*/i.exec(value) ?? [];
  if (head === undefined) return value;
  const quoted = value.slice(head.length);
  const [quote = ''] = /^['"]/.exec(quoted) ?? [];
  if (!quoted.endsWith(quote) || (quote !== '' && quoted.length < 2)) return value;
  const url = quoted.slice(quote.length, quoted.length - quote.length);
  return head + quote + clientUrl(url, addresses) + quote;
}

/**
 * A cookie of the application's as the browser has to keep it: for the prefix where it is for the base path, and for the gateway's host where it is for
 * the application's own, whose cookies browsers would not take from another one.
 */
export function clientCookie(cookie: string, addresses: Addresses): string {
  const { route } = addresses;
  const own = new URL(route.to).hostname;
  const [pair = '', ...attributes] = cookie.split(';');
  const kept = attributes.flatMap((attribute) => {
    const name = before(attribute, '=').trim();
    const value = attribute.slice(before(attribute, '=').length + 1).trim();
    switch (name.toLowerCase()) {
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

/** A cookie for /app/ would not go with /app itself. */
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
