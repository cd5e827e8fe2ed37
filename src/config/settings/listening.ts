import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { fileURLToPath } from 'node:url';
import { StartupError } from '../../base/errors.ts';
import type { Config } from '../config.ts';
import { ADMIN } from '../../base/principal.ts';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether clients have to identify themselves: there is a way to do so, and anonymous clients are not administrators. */
export function isLoginNeeded(authentication: Config['authentication']): boolean {
  const { anonymous, ...ways } = authentication ?? {};
  const hasWays = Object.values(ways).some((way) => way !== undefined);
  return hasWays && anonymous?.includes(ADMIN) !== true;
}

/**
 * Refuses to listen where other machines reach the gateway without a login, unless the configuration allows it: then it returns a warning for the log.
 * @throws StartupError at `server.host`
 */
export async function checkListening({
  server: { host, allowUnauthenticated },
  authentication,
  locate,
}: Pick<Config, 'server' | 'authentication' | 'locate'>): Promise<string | null> {
  if (isLoginNeeded(authentication) || (await isLoopback(host))) return null;
  const anonymous = authentication?.anonymous ?? [ADMIN];
  const isAll = anonymous.includes(ADMIN);
  if (allowUnauthenticated) {
    const what = isAll
      ? 'reads and writes what the mapping files expose'
      : `has the roles of authentication.anonymous: ${anonymous.join(', ')}`;
    return `without authentication, every client that reaches ${host} ${what}`;
  }
  const what = isAll
    ? 'read and write what the mapping files expose'
    : 'have the roles of authentication.anonymous';
  const remedy =
    authentication === undefined
      ? 'Configure authentication'
      : 'Configure keys, passwords or tokens in authentication, and no admin in anonymous';
  const message =
    `other machines reach ${host}, and would ${what} without saying who they are. ` +
    `${remedy}, as ${GUIDE} shows, or listen on 127.0.0.1. Where something else decides who reaches the port, ` +
    'say so by server.allowUnauthenticated: true (also ENTITYGATE_ALLOW_UNAUTHENTICATED=true)';
  throw StartupError.at(locate('server.host'), message);
}

/** The guide that the package has; the same file for the compiled program and for its source. */
const GUIDE = fileURLToPath(new URL('../../../docs/how-to/security.md', import.meta.url));

/** Whether an address or a name is one of this machine alone; unknown names are refused when the gateway listens. */
export async function isLoopback(host: string): Promise<boolean> {
  const addresses = isIP(host) > 0 ? [host] : await addressesOf(host);
  return addresses.every((address) =>
    loopback.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4'),
  );
}

async function addressesOf(host: string): Promise<string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch {
    return [];
  }
}
