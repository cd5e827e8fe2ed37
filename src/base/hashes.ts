import { createHash, hash, randomBytes, scryptSync } from 'node:crypto';

/** Numbers of 53 bits that tell texts apart, and tell nothing of them to who does not have the key. */
export type KeyedHash = (text: string) => number;

/**
 * A keyed hash: 53 bits of the SHA-256 of key and text. Who knows the number of a text cannot go on to that of a longer one, which
 * HMAC is there to prevent (https://datatracker.ietf.org/doc/html/rfc2104): it takes all 256 bits of the digest.
 */
export function keyedHash(key: string): KeyedHash {
  return (text) => {
    const digest = hash('sha256', `${key}|${text}`, 'buffer');
    return digest.readUInt32BE(0) * 2 ** 21 + (digest.readUInt32BE(4) >>> 11);
  };
}

/**
 * A key out of a secret that people may have thought up: made slowly, so that nobody finds the secret by trying words.
 * It takes some 50 ms. https://datatracker.ietf.org/doc/html/rfc7914
 * @param purpose what the key is for: keys for different purposes tell nothing of each other
 */
export function derivedKey(secret: string, purpose: string): string {
  return scryptSync(secret, `entitygate: ${purpose}`, 32).toString('hex');
}

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
