import { before } from '../../base/text.ts';

/**
 * What attempts are counted by, of an address: an IPv4 address, or the first 64 bits of an IPv6 one, as whoever has one address has all of
 * these (https://www.rfc-editor.org/rfc/rfc6177). A text that is not an address is itself.
 */
export function addressGroup(address: string): string {
  const mapped = /^::ffff:(\d+(?:\.\d+){3})$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!address.includes(':')) return address;
  const [head = '', tail] = before(address, '%').toLowerCase().split('::');
  const leading = parts(head);
  const after = parts(tail ?? '');
  const missing = tail === undefined ? 0 : Math.max(0, 8 - leading.length - after.length);
  const all = [...leading, ...new Array<string>(missing).fill('0'), ...after];
  return `${all
    .slice(0, 4)
    .map((part) => part.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}

function parts(text: string): string[] {
  return text === '' ? [] : text.split(':');
}
