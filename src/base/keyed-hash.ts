import { hash, scryptSync } from 'node:crypto';

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
