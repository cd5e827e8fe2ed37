import { hash, randomBytes } from 'node:crypto';
import type { AuthClock } from '../../base/time.ts';
import type { Principal } from '../../base/principal.ts';
import type { ApiKeySettings } from '../../config/settings/authentication.ts';
import { principalOf, refused } from './principal.ts';

/** The prefix by which people, and scanners for leaked secrets, recognise an API key. */
const PREFIX = 'egk_';

const SECRET_BYTES = 32;

/** The checksum tells a mistyped key from an unknown one; with it the bytes fill their base64 exactly. */
const CHECK_BYTES = 4;

/** Makes an API key: `egk_` and 48 characters of base64url, which are 32 random bytes and the first 4 of their SHA-256. */
export function makeApiKey(): string {
  const secret = randomBytes(SECRET_BYTES);
  return PREFIX + Buffer.concat([secret, checkOf(secret)]).toString('base64url');
}

/** Whether a text is meant as an API key, by its prefix. */
export function looksLikeApiKey(text: string): boolean {
  return text.startsWith(PREFIX);
}

/** Whether a text is a complete API key with the right checksum. */
export function isApiKey(text: string): boolean {
  if (!/^egk_[\w-]{48}$/.test(text)) return false;
  const bytes = Buffer.from(text.slice(PREFIX.length), 'base64url');
  return checkOf(bytes.subarray(0, SECRET_BYTES)).equals(bytes.subarray(SECRET_BYTES));
}

/** Hashes a key as the configuration holds it, as `sha256sum` does. A slow hash would gain nothing: 256 random bits cannot be guessed. */
export function apiKeyHash(key: string): string {
  return hash('sha256', key);
}

function checkOf(secret: Uint8Array): Buffer {
  return hash('sha256', secret, 'buffer').subarray(0, CHECK_BYTES);
}

export class ApiKeys {
  /** By hash: the time of a look-up may reveal hashes, but senders cannot choose the hash of a key. `end` is in milliseconds since 1970. */
  readonly #holders: ReadonlyMap<string, { readonly principal: Principal; readonly end: number }>;
  readonly #clock: AuthClock;

  constructor(keys: readonly ApiKeySettings[], clock: AuthClock) {
    this.#clock = clock;
    this.#holders = new Map(
      keys.map((key) => [
        key.hash.slice('sha256:'.length).toLowerCase(),
        {
          principal: principalOf(key),
          end: key.expires === undefined ? Infinity : Date.parse(key.expires),
        },
      ]),
    );
  }

  /** Returns the principal of a key. @throws ProtocolError notLoggedIn for a mistyped, unknown or expired key */
  holder(key: string): Principal {
    const found = this.#holders.get(apiKeyHash(key));
    if (found === undefined) {
      throw refused(
        isApiKey(key)
          ? 'The API key is not known.'
          : 'This is not an API key: expected egk_ and 48 characters, as they were given out.',
      );
    }
    if (found.end <= this.#clock.wall()) throw refused('The API key has expired.');
    return found.principal;
  }
}
