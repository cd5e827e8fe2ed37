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
export function hostOf(target: string): string {
  if (target.startsWith('/')) return '';
  const [, authority = ''] = /^https?:\/\/([^/?#]*)/is.exec(target) ?? [];
  return authority.slice(authority.lastIndexOf('@') + 1);
}
