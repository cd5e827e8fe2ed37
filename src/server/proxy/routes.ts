import { METHODS } from 'node:http';
import { ProtocolError } from '../../base/errors.ts';
import { withoutLast } from '../../base/text.ts';
import { isProbePath } from '../http/reply.ts';
import { isRest } from '../rest.ts';

/** What is forwarded: every verb that Node reads, but for those that are about connections (RFC 9110, 9.3.6 and 9.3.8). */
export const FORWARDED_VERBS = METHODS.filter((verb) => verb !== 'CONNECT' && verb !== 'TRACE');

/** One prefix, and the application that is asked for what stands below it (docs/proxy.md). */
export interface ProxyRoute {
  /** `/app`, or `/`: letters that the router takes as they are, without `/` at the end. */
  readonly prefix: string;
  /** What stands for the prefix: `http://127.0.0.1:8081/app`. */
  readonly to: string;
  /** Whether users have to be known, and which roles they need one of. */
  readonly authentication: boolean | readonly string[];
  readonly webSocket: boolean;
  readonly timeoutSeconds: number;
  /** Whether the application is sent the Host that the client asked. */
  readonly preserveHost: boolean;
  readonly verifyCertificate: boolean;
  /** Certificates in PEM form that vouch for the application's, in place of those that Node.js knows. */
  readonly ca?: string | undefined;
  readonly userHeader: string;
  readonly rolesHeader: string;
  readonly forwardCredentials: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

/** Finds the entry that a request is forwarded by; null for what is the gateway's own, or nobody's. */
export type FindRoute = (url: string) => ProxyRoute | null;

/**
 * Looks prefixes up, the longest one first. They are compared with the URL as it came: what else is meant by one that is written in another way
 * is the application's business.
 */
export function routeFinder(routes: readonly ProxyRoute[]): FindRoute {
  const longestFirst = routes.toSorted((a, b) => b.prefix.length - a.prefix.length);
  return (url) => {
    const [path = ''] = url.split('?', 1);
    if (!path.startsWith('/') || isRest(path) || isProbePath(path)) return null;
    return (
      longestFirst.find(
        ({ prefix }) => prefix === '/' || path === prefix || path.startsWith(`${prefix}/`),
      ) ?? null
    );
  };
}

/** The path that stands for the prefix at the application, without `/` at its end: empty for its root. */
export function basePath({ to }: Pick<ProxyRoute, 'to'>): string {
  return withoutLast(new URL(to).pathname, '/');
}

/**
 * The request target that the application is asked for: the client's, letter by letter, but for the prefix.
 * @param url in origin form
 * @throws ProtocolError badUrl for a path that leads up, and so out of what is forwarded
 */
export function targetOf(url: string, route: ProxyRoute): string {
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  if (leadsUp(path)) {
    throw new ProtocolError('badUrl', 'A path that is forwarded may not hold "..".');
  }
  const below = route.prefix === '/' ? path : path.slice(route.prefix.length);
  const target = basePath(route) + below;
  return (target === '' ? '/' : target) + (end < 0 ? '' : url.slice(end));
}

/** Servers take other letters for the dots and slashes of a path, too, and some have parameters behind a segment. */
function leadsUp(path: string): boolean {
  return path
    .replace(/%2e/gi, '.')
    .replace(/%2f|%5c|\\/gi, '/')
    .replace(/%3b/gi, ';')
    .split('/')
    .some((segment) => segment === '..' || segment.startsWith('..;'));
}
