import { METHODS } from 'node:http';
import { ProtocolError } from '../../base/errors.ts';
import { withoutLast } from '../../base/text.ts';
import type { Config } from '../../config/config.ts';
import { isProbePath } from '../http/admission.ts';
import { isRest } from '../rest.ts';

/** The verbs that are forwarded: all that Node reads, except those about connections (RFC 9110, 9.3.6 and 9.3.8). */
export const FORWARDED_VERBS = METHODS.filter((verb) => verb !== 'CONNECT' && verb !== 'TRACE');

/** An entry of `proxy` (docs/how-to/proxy.md): a prefix, and the application that requests below it are forwarded to. `ca` is the text of its file. */
export type ProxyRoute = Config['proxy'][number];

/** Finds the route of a URL; null for the gateway's own URLs, and where there is none. */
export type FindRoute = (url: string) => ProxyRoute | null;

/**
 * Makes a finder that tries the longest prefix first, with the URL as it came: how an application understands other spellings is its own business.
 * @param own paths of the gateway besides those of the API and the probes
 */
export function routeFinder(routes: readonly ProxyRoute[], own: readonly string[] = []): FindRoute {
  const longestFirst = routes.toSorted((a, b) => b.prefix.length - a.prefix.length);
  return (url) => {
    const [path = ''] = url.split('?', 1);
    if (!path.startsWith('/') || isRest(path) || isProbePath(path) || own.includes(path)) {
      return null;
    }
    return (
      longestFirst.find(
        ({ prefix }) => prefix === '/' || path === prefix || path.startsWith(`${prefix}/`),
      ) ?? null
    );
  };
}

/** The application's path that replaces the prefix, without `/` at its end: empty for its root. */
export function basePath({ to }: Pick<ProxyRoute, 'to'>): string {
  return withoutLast(new URL(to).pathname, '/');
}

/** Replaces the prefix of a request target in origin form. @throws ProtocolError badUrl for a path with `..`, which could leave what is forwarded */
export function targetOf(url: string, route: ProxyRoute): string {
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  if (leadsUp(path)) {
    throw new ProtocolError('badUrl', 'A forwarded path must not contain "..".');
  }
  const below = route.prefix === '/' ? path : path.slice(route.prefix.length);
  const target = basePath(route) + below;
  return (target === '' ? '/' : target) + (end < 0 ? '' : url.slice(end));
}

/** Servers also accept escapes of dots and slashes, backslashes, and parameters behind a segment. */
function leadsUp(path: string): boolean {
  return path
    .replace(/%2e/gi, '.')
    .replace(/%2f|%5c|\\/gi, '/')
    .replace(/%3b/gi, ';')
    .split('/')
    .some((segment) => segment === '..' || segment.startsWith('..;'));
}
