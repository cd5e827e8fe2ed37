import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

/** An address as some proxies write it: with the port of the connection, and of IPv6 in brackets. */
const WITH_PORT = /^(?:\[([^\]]*)\]|([^:]*))(?::\d{1,5})?$/;

/**
 * Leaves of `X-Forwarded-For` the addresses alone, by which clients are counted: whoever takes another port would be somebody else. Each proxy adds who
 * called it to the right; where that is no address, nobody knows who said what stands to its left, and it does not count.
 */
export function keepAddresses(headers: IncomingHttpHeaders): void {
  const given = headers['x-forwarded-for'];
  if (typeof given !== 'string') return;
  const kept: string[] = [];
  for (const word of given.split(',').reverse()) {
    const address = addressIn(word.trim());
    if (address === null) break;
    kept.unshift(address);
  }
  if (kept.length > 0) headers['x-forwarded-for'] = kept.join(', ');
  else delete headers['x-forwarded-for'];
}

function addressIn(word: string): string | null {
  const [, v6, v4] = WITH_PORT.exec(word) ?? [];
  if (v6 !== undefined) return isIP(v6) === 6 ? v6 : null;
  if (v4 !== undefined && isIP(v4) === 4) return v4;
  return isIP(word) > 0 ? word : null;
}
