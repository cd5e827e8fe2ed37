import type { OutgoingHttpHeaders } from 'node:http';
import { before } from '../../base/text.ts';
import type { SessionNames } from '../../state/session/sessions.ts';
import { HOP_BY_HOP, listed } from '../http/headers.ts';
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
