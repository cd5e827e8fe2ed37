import { isIP } from 'node:net';
import { ProtocolError } from '../../base/errors.ts';
import { excerpt } from '../../base/excerpt.ts';

/**
 * Refuses a name that the gateway does not go by. Where nobody has to log in, whoever makes a name of its own lead to the
 * gateway (DNS rebinding) would read it from inside a browser that may reach it. An address is nobody's to redirect. The status is 421:
 * that a server is not configured to answer for a name (RFC 9110, 15.5.20).
 * @param host the host, and port, that the client asked; what sends none is no browser
 * @param names those that the gateway goes by, besides addresses and localhost
 * @throws ProtocolError badHost
 */
export function checkHost(host: string, names: readonly string[]): void {
  // Who names no server in the target names none there.
  if (host === '' || host === lastLocal) return;
  const name = host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
  const isAddress = isIP(name.replace(/^\[(.*)\]$/, '$1')) > 0;
  const isLocal = name === 'localhost' || name.endsWith('.localhost');
  if (name === '' || isAddress || isLocal) {
    lastLocal = host;
    return;
  }
  if (names.some((known) => known.toLowerCase() === name)) return;
  throw new ProtocolError(
    'badHost',
    `The gateway is not known as "${excerpt(name, 100)}": without authentication it answers to the names in server.hosts, to localhost, and to addresses.`,
  );
}

/** The one that was let in last whatever names there are: mostly it is the same. */
let lastLocal = '';
