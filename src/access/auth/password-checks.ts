import { createHmac, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import type { AuthClock } from '../../base/time.ts';
import { ProtocolError } from '../../base/errors.ts';
import { isPassword, type PasswordHash, passwordHashText } from './password-hash.ts';
import { addressGroup, type AttemptCounts, memoryCounts, Throttle } from './throttle.ts';

/** How many passwords are hashed at once: each takes 128 MB, and one of the four threads that Node.js has for this, for files and for host names. */
const CONCURRENCY = 2;

/** How many may wait: the last one waits about five seconds. */
const MAX_WAITING = 32;

/** How long a right password is accepted again without being hashed, in milliseconds. */
const REMEMBERED_FOR = 5 * 60_000;

/** For how many users and addresses right passwords are remembered. */
const MAX_REMEMBERED = 10_000;

export interface Claimant {
  readonly user: string;
  /** As `preparedPassword` made it. */
  readonly password: string;
  /** The hash of the user's password; one that no password has where there is no such user. */
  readonly stored: PasswordHash;
  readonly address: string;
}

/** Checks passwords, which is slow on purpose: right ones are remembered for a while, equal checks share one hash, and few are hashed at once. */
export class PasswordChecks {
  /** The right ones, as keyed hashes: a dump of the memory reveals no password. */
  readonly #remembered: LRUCache<string, true>;
  readonly #running = new Map<string, Promise<boolean>>();
  readonly #key = randomBytes(32);
  readonly #limit = pLimit(CONCURRENCY);
  readonly #throttle: Throttle;
  readonly #isPassword: typeof isPassword;

  /** @param counts where attempts are counted */
  constructor(
    clock: AuthClock,
    check: typeof isPassword = isPassword,
    counts: AttemptCounts = memoryCounts(clock),
  ) {
    this.#throttle = new Throttle(counts);
    this.#isPassword = check;
    this.#remembered = new LRUCache({
      max: MAX_REMEMBERED,
      ttl: REMEMBERED_FOR,
      ttlResolution: 0,
      perf: { now: clock.steady },
    });
  }

  /** Checks whether the password is right. @throws ProtocolError tooManyAttempts, authenticationBusy, stateUnavailable */
  async check(claimant: Claimant): Promise<boolean> {
    const id = this.#idOf(claimant);
    await this.#throttle.checkOpen(claimant.user, claimant.address);
    if (this.#remembered.has(id)) return true;
    const running = this.#running.get(id);
    if (running !== undefined) return running;
    const answer = this.#attempt(claimant, id).finally(() => this.#running.delete(id));
    this.#running.set(id, answer);
    return answer;
  }

  async #attempt({ user, password, stored, address }: Claimant, id: string): Promise<boolean> {
    const attempt = await this.#throttle.begin(user, address);
    try {
      if (this.#limit.pendingCount >= MAX_WAITING) throw ProtocolError.of('authenticationBusy');
      const isRight = await this.#limit(() => this.#isPassword(password, stored));
      if (!isRight) return false;
    } catch (error) {
      await attempt.withdrawn();
      throw error;
    }
    await attempt.succeeded();
    this.#remembered.set(id, true);
    return true;
  }

  /** Includes the stored hash, so that a changed password counts at once, and the address, so that nobody elsewhere can guess against the memory. */
  #idOf({ user, password, stored, address }: Claimant): string {
    const parts = [user, password, passwordHashText(stored), addressGroup(address)];
    return createHmac('sha256', this.#key).update(JSON.stringify(parts)).digest('base64');
  }
}
