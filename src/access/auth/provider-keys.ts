import { createRemoteJWKSet, errors, type JWTVerifyGetKey } from 'jose';
import type { AuthClock } from '../../base/time.ts';
import { ProtocolError, reason } from '../../base/errors.ts';
import { excerpt } from '../../base/text.ts';

/** How long the provider may take to answer, in milliseconds. */
const TIMEOUT = 5000;

/** The age at which keys are fetched again in the background, in milliseconds: the provider may have withdrawn some. */
const REFRESH_AGE = 10 * 60_000;

/** The age up to which keys are used while the provider is unavailable, in milliseconds: a withdrawn key must be refused some day. */
const MAX_AGE = 24 * 3_600_000;

/** The least time between two fetches, in milliseconds, whatever keys tokens name. */
const COOLDOWN = 30_000;

/**
 * The keys of an identity provider, from its JSON Web Key Set. They are fetched for the first token, for a token that names an unknown key, and
 * periodically. jose's own cache would fetch with every request while the provider is unavailable, and would not use the old keys meanwhile.
 */
export class ProviderKeys {
  readonly #host: string;
  readonly #set: ReturnType<typeof createRemoteJWKSet>;
  readonly #clock: AuthClock;
  readonly #onProblem: (problem: Error) => void;
  /** When the last fetch began, and when the last successful one ended, by the steady clock. */
  #triedAt = -Infinity;
  #fetchedAt = -Infinity;
  #failure: unknown;
  #fetching: Promise<void> | null = null;

  constructor(
    url: string,
    clock: AuthClock,
    onProblem: (problem: Error) => void,
    timeout = TIMEOUT,
  ) {
    this.#host = new URL(url).host;
    this.#clock = clock;
    this.#onProblem = onProblem;
    this.#set = createRemoteJWKSet(new URL(url), {
      timeoutDuration: timeout,
      cacheMaxAge: Infinity,
      cooldownDuration: Infinity,
    });
  }

  /** Finds the key that a token names. @throws ProtocolError identityProviderAway where it is unknown and the provider does not answer; jose's errors */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    const age = this.#clock.steady() - this.#fetchedAt;
    if (age > MAX_AGE) await this.#refresh();
    else if (age > REFRESH_AGE) void this.#refresh().catch(() => undefined);
    try {
      return await this.#set(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await this.#refresh();
      return this.#set(header, token);
    }
  };

  /** Fetches the keys, unless a fetch has just begun or ended: then it ends as that one did. */
  async #refresh(): Promise<void> {
    if (this.#fetching === null && this.#clock.steady() - this.#triedAt >= COOLDOWN) {
      this.#triedAt = this.#clock.steady();
      this.#fetching = this.#fetch().finally(() => {
        this.#fetching = null;
      });
    }
    await this.#fetching;
    if (this.#failure === undefined) return;
    const message =
      'The identity provider’s signing keys cannot be fetched at the moment. Try again later.';
    throw new ProtocolError('identityProviderAway', message, undefined, this.#failure);
  }

  async #fetch(): Promise<void> {
    try {
      await this.#set.reload();
      this.#fetchedAt = this.#clock.steady();
      this.#failure = undefined;
    } catch (cause) {
      this.#failure = cause;
      const what = `The identity provider’s signing keys cannot be fetched from ${this.#host}`;
      this.#onProblem(providerProblem(what, cause));
    }
  }
}

/** Returns the keys at an address, one object for all who check signatures by them. @param known those that are there already, by address */
export function keysAt(
  url: string,
  known: Map<string, ProviderKeys>,
  clock: AuthClock,
  onProblem: (problem: Error) => void,
): ProviderKeys {
  const keys = known.get(url) ?? new ProviderKeys(url, clock, onProblem);
  known.set(url, keys);
  return keys;
}

/** An error for the log of what an identity provider did not do. Where it was thrown says nothing. */
export function providerProblem(what: string, cause: unknown): Error {
  const problem = `${what}: ${reasonsOf(cause)}`;
  return Object.assign(new Error(problem), { stack: problem });
}

/** Says why something failed, with all causes and the provider's words; other parts of its answers are left out, which may hold tokens. */
export function reasonsOf(error: unknown): string {
  const causes: string[] = [];
  for (let each = error; each instanceof Error && causes.length < 6; each = each.cause) {
    if (each instanceof SyntaxError) return [...causes, 'it is not JSON'].join(': ');
    const { error: code, error_description: words } = each as OAuthError;
    causes.push(reason(each), ...texts(code, words));
    if (each.cause instanceof Response) {
      const { status, url } = each.cause;
      causes.push(`${status} from ${url.split('?', 1)[0] ?? ''}`);
    }
  }
  return causes.join(': ');
}

/** An error that a provider has answered (RFC 6749 §5.2), as openid-client throws it. */
interface OAuthError {
  readonly error?: unknown;
  readonly error_description?: unknown;
}

function texts(...words: readonly unknown[]): string[] {
  return words.flatMap((word) => (typeof word === 'string' ? excerpt(word, 300) : []));
}
