import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { StartupError } from '../base/errors.ts';
import type { Config } from './config.ts';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/**
 * Refuses to listen where other machines reach the gateway and nobody has to say who they are, unless that is asked for by name.
 * @param isAuthenticated whether clients have to log in
 * @returns what the log is to say of it, where it was asked for
 * @throws StartupError at `server.host`
 */
export async function checkListening(
  { server: { host, allowUnauthenticated }, locate }: Pick<Config, 'server' | 'locate'>,
  isAuthenticated: boolean,
): Promise<string | null> {
  if (isAuthenticated || (await isLoopback(host))) return null;
  if (allowUnauthenticated) {
    return `nobody has to log in: whoever reaches ${host} reads and writes what the mapping files expose`;
  }
  throw new StartupError([
    {
      where: locate('server.host'),
      message:
        `other machines reach ${host}, and would read and write what the mapping files expose without saying who they are. ` +
        'Configure authentication: (docs/security.md), or listen on 127.0.0.1. Where something else decides who reaches the port, ' +
        'say so by server.allowUnauthenticated: true (also ENTITYGATE_ALLOW_UNAUTHENTICATED=true)',
    },
  ]);
}

/** Whether this machine alone reaches what listens on an address or a name; a name that leads nowhere is refused when it is listened on. */
async function isLoopback(host: string): Promise<boolean> {
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
