import { createRemoteJWKSet, errors, type JWTVerifyGetKey } from 'jose';
import { ProtocolError } from '../../base/errors.ts';
import type { AuthClock } from '../../base/clock.ts';

/** How long the provider may take to answer, in milliseconds. */
const TIMEOUT = 5000;

/** How old keys may be before they are asked for again beside the requests that they serve, in milliseconds. */
const FRESH = 10 * 60_000;

/** How long the provider is not asked after it was, whatever tokens name, in milliseconds. */
const PAUSE = 30_000;

/** How old keys may be that serve while the provider is unavailable: one that it has taken back is one day to be refused. */
const MOST_STALE = 24 * 3_600_000;

/**
 * The keys of an identity provider, by its JSON Web Key Set. They are asked for when the first token comes, again when one names a key that is
 * not known, as it does after a change of keys, and now and then, as keys are taken back. While the provider is unavailable, those that are known serve on.
 */
export class ProviderKeys {
  readonly #set: ReturnType<typeof createRemoteJWKSet>;
  readonly #clock: AuthClock;
  readonly #onProblem: (problem: Error) => void;
  /** When the set was last asked for, and when it was last had; by the steady clock. */
  #askedAt = -Infinity;
  #hadAt = -Infinity;
  #failure: unknown;
  #asking: Promise<void> | null = null;

  /**
   * @param onProblem hears of a provider that does not answer
   * @param timeout in milliseconds; tests pass a short one
   */
  constructor(
    url: string,
    clock: AuthClock,
    onProblem: (problem: Error) => void,
    timeout = TIMEOUT,
  ) {
    this.#clock = clock;
    this.#onProblem = onProblem;
    // When it is asked is decided here: by itself it would ask with every request while the provider is unavailable.
    this.#set = createRemoteJWKSet(new URL(url), {
      timeoutDuration: timeout,
      cacheMaxAge: Infinity,
      cooldownDuration: Infinity,
    });
  }

  /**
   * The key that a token names.
   * @throws ProtocolError identityProviderAway where it is not known and the provider cannot be asked; what jose throws where there is no such
   *   key, or several fit
   */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    await this.#haveKeys();
    try {
      return await this.#set(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await this.#ask();
      return this.#set(header, token);
    }
  };

  async #haveKeys(): Promise<void> {
    const age = this.#clock.steady() - this.#hadAt;
    if (age > MOST_STALE) await this.#ask();
    else if (age > FRESH) {
      // Nobody waits for it.
      this.#ask().catch(() => undefined);
    }
  }

  /** Asks for the keys, unless they were asked for just now: then it ends as it did then. */
  async #ask(): Promise<void> {
    if (this.#asking === null && this.#clock.steady() - this.#askedAt >= PAUSE) {
      this.#askedAt = this.#clock.steady();
      this.#asking = this.#fetch().finally(() => {
        this.#asking = null;
      });
    }
    await this.#asking;
    if (this.#failure === undefined) return;
    throw new ProtocolError(
      'identityProviderAway',
      'The identity provider’s signing keys cannot be fetched at the moment. Try again later.',
      undefined,
      this.#failure,
    );
  }

  async #fetch(): Promise<void> {
    try {
      await this.#set.reload();
      this.#hadAt = this.#clock.steady();
      this.#failure = undefined;
    } catch (error) {
      this.#failure = error;
      this.#onProblem(
        new Error('The identity provider’s signing keys cannot be fetched.', { cause: error }),
      );
    }
  }
}
