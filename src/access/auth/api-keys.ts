import { hash, randomBytes } from 'node:crypto';
import type { Principal } from '../../base/principal.ts';
import type { ApiKeySettings } from '../../config/settings/authentication.ts';
import type { AuthClock } from '../../base/clock.ts';
import { principalOf, refused } from './principal.ts';

/** How API keys begin, so that people and scanners for leaked secrets know one when they see it. */
const PREFIX = 'egk_';

/** 256 bits nobody can guess. */
const SECRET_BYTES = 32;

/** What tells a key that was mistyped or cut off from one that is not known. With it the bytes fill their base64 to the last bit. */
const CHECK_BYTES = 4;

/** A new API key: `egk_` and 48 characters of base64url, which are 32 random bytes and the first 4 of their SHA-256. */
export function makeApiKey(): string {
  const secret = randomBytes(SECRET_BYTES);
  return PREFIX + Buffer.concat([secret, checkOf(secret)]).toString('base64url');
}

/** Whether a text means to be an API key, by how it begins. */
export function looksLikeApiKey(text: string): boolean {
  return text.startsWith(PREFIX);
}

/** Whether a text is an API key that somebody made, and arrived whole. */
export function isApiKey(text: string): boolean {
  if (!/^egk_[\w-]{48}$/.test(text)) return false;
  const bytes = Buffer.from(text.slice(PREFIX.length), 'base64url');
  return checkOf(bytes.subarray(0, SECRET_BYTES)).equals(bytes.subarray(SECRET_BYTES));
}

/**
 * The hash by which the configuration knows a key, in hexadecimal digits; that of the whole text, as `sha256sum` has it. A slow hash, as
 * passwords need, would gain nothing: no one can try all keys of 256 random bits, however fast.
 */
export function apiKeyHash(key: string): string {
  return hash('sha256', key);
}

function checkOf(secret: Uint8Array): Buffer {
  return hash('sha256', secret, 'buffer').subarray(0, CHECK_BYTES);
}

/** Who a key stands for. */
interface Holder {
  readonly principal: Principal;
  /** When the key ends, in milliseconds since 1970. */
  readonly end: number;
}

/** The API keys of the configuration. */
export class ApiKeys {
  /**
   * By hash: how long it takes to look one up may tell of hashes, and who sends keys cannot choose theirs.
   */
  readonly #holders: ReadonlyMap<string, Holder>;
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

  /**
   * Who sends a key.
   * @throws ProtocolError notLoggedIn for a key that is mistyped, not known or over
   */
  holder(key: string): Principal {
    if (!isApiKey(key)) {
      throw refused(
        'This is not an API key: expected egk_ and 48 characters, as they were given out.',
      );
    }
    const found = this.#holders.get(apiKeyHash(key));
    if (found === undefined) throw refused('The API key is not known.');
    if (found.end <= this.#clock.wall()) throw refused('The API key has expired.');
    return found.principal;
  }
}
