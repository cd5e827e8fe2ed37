import { createHash, randomBytes } from 'node:crypto';

/**
 * A name-based UUID in the manner of RFC 9562 version 5 (SHA-1), in the 32 upper-case hexadecimal digits that the
 * protocol's catalogs use. The same names give the same identifier on every start and on every machine.
 */
export function stableUuid(...names: readonly string[]): string {
  const bytes = createHash('sha1').update(names.join('\u0000')).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').toUpperCase();
}

/** A new id of 32 hexadecimal digits in upper case, which nobody can guess. */
export function randomId(): string {
  return randomBytes(16).toString('hex').toUpperCase();
}
