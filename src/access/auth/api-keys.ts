import type { Principal } from '../../base/principal.ts';
import type { ApiKeySettings } from '../../config/settings/authentication.ts';
import { apiKeyHash, isApiKey } from './api-key.ts';
import type { AuthClock } from './clock.ts';
import { principalOf } from './principal-of.ts';
import { refused } from './refused.ts';

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
      throw refused('This is no API key: expected egk_ and 48 characters, as they were given out.');
    }
    const found = this.#holders.get(apiKeyHash(key));
    if (found === undefined) throw refused('The API key is not known.');
    if (found.end <= this.#clock.wall()) throw refused('The API key has expired.');
    return found.principal;
  }
}
