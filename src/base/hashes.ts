import { createHash, hash, randomBytes, scryptSync } from 'node:crypto';

/** Hashes a text to 53 bits, which tell nothing of the text without the key. */
export type KeyedHash = (text: string) => number;

/** Makes a keyed hash: 53 bits of the SHA-256 of key and text. Extending a hash, which HMAC prevents (RFC 2104), would need all 256 bits. */
export function keyedHash(key: string): KeyedHash {
  return (text) => leading53Bits(hash('sha256', `${key}|${text}`, 'binary'));
}

/** The first 53 bits of a digest in the encoding `binary`, which costs less to make than a buffer. */
export function leading53Bits(digest: string): number {
  return wordAt(digest, 0) * 2 ** 21 + (wordAt(digest, 4) >>> 11);
}

function wordAt(digest: string, index: number): number {
  const byte = (offset: number): number => digest.charCodeAt(index + offset);
  return ((byte(0) << 24) | (byte(1) << 16) | (byte(2) << 8) | byte(3)) >>> 0;
}

/** Derives a key for a purpose, slowly (about 50 ms), so that nobody guesses a weak secret (https://datatracker.ietf.org/doc/html/rfc7914). */
export function derivedKey(secret: string, purpose: string): string {
  return scryptSync(secret, `entitygate: ${purpose}`, 32).toString('hex');
}

/** A name-based UUID as of RFC 9562 version 5 (SHA-1), in the 32 upper-case hexadecimal digits of the protocol's catalogs. Equal names give equal UUIDs. */
export function stableUuid(...names: readonly string[]): string {
  const bytes = createHash('sha1').update(names.join('\u0000')).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').toUpperCase();
}

/** A new unguessable id of 32 upper-case hexadecimal digits. */
export function randomId(): string {
  return randomBytes(16).toString('hex').toUpperCase();
}
