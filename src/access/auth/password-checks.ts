import { createHmac, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import { ProtocolError } from '../../base/errors.ts';
import type { AuthClock } from '../../base/clock.ts';
import { isPassword, type PasswordHash, passwordHashText } from './password-hash.ts';
import { addressGroup, type AttemptNews, Throttle } from './throttle.ts';

/**
 * How many passwords are worked on at once: each takes 128 MB, and a thread of the four that Node.js has for this, for files and
 * for names of hosts.
 */
const AT_ONCE = 2;

/** How many may wait: the last of them waits some five seconds. */
const MOST_WAITING = 32;

/** How long a password that was right need not be worked on again, in milliseconds. */
const REMEMBERED = 5 * 60_000;

/** For how many users and addresses. */
const MOST_REMEMBERED = 10_000;

/** Somebody says to be a user. */
export interface Claimant {
  readonly user: string;
  /** As `preparedPassword` made it. */
  readonly password: string;
  /** The hash of the user's password; one that no password has, where there is no such user. */
  readonly stored: PasswordHash;
  readonly address: string;
}

/**
 * Checks passwords, which is slow on purpose, for requests that each bring one: what was right is remembered for a while, the same question
 * asked twice at once is answered once, few are worked on at a time, and who asks wrongly too often is turned away.
 */
export class PasswordChecks {
  /** What was right, as keyed hashes: nobody who sees the memory of the process finds a password in it that has been sent. */
  readonly #remembered: LRUCache<string, true>;
  readonly #underWay = new Map<string, Promise<boolean>>();
  readonly #key = randomBytes(32);
  readonly #turn = pLimit(AT_ONCE);
  readonly #throttle: Throttle;
  readonly #isPassword: typeof isPassword;

  /**
   * @param check tells whether a password is that of a hash; tests pass one that is quick
   * @param news the other processes that attempts count in; null where there are none
   */
  constructor(
    clock: AuthClock,
    check: typeof isPassword = isPassword,
    news: AttemptNews | null = null,
  ) {
    this.#throttle = new Throttle(clock, news);
    this.#isPassword = check;
    this.#remembered = new LRUCache({
      max: MOST_REMEMBERED,
      ttl: REMEMBERED,
      ttlResolution: 0,
      perf: { now: clock.steady },
    });
  }

  /**
   * Whether somebody has the password of the user that they say to be.
   * @throws ProtocolError tooManyAttempts, authenticationBusy
   */
  async check(claimant: Claimant): Promise<boolean> {
    const question = this.#questionOf(claimant);
    this.#throttle.checkOpen(claimant.user, claimant.address);
    if (this.#remembered.has(question)) return true;
    const underWay = this.#underWay.get(question);
    if (underWay !== undefined) return underWay;
    const answer = this.#work(claimant, question).finally(() => this.#underWay.delete(question));
    this.#underWay.set(question, answer);
    return answer;
  }

  async #work({ user, password, stored, address }: Claimant, question: string): Promise<boolean> {
    const attempt = this.#throttle.begin(user, address);
    try {
      if (this.#turn.pendingCount >= MOST_WAITING) throw ProtocolError.of('authenticationBusy');
      const isRight = await this.#turn(() => this.#isPassword(password, stored));
      if (!isRight) return false;
    } catch (error) {
      attempt.withdrawn();
      throw error;
    }
    attempt.succeeded();
    this.#remembered.set(question, true);
    return true;
  }

  /**
   * The stored hash is a part of it, so that a changed password counts at once, and the address, so that nobody can try passwords from elsewhere
   * against the memory.
   */
  #questionOf({ user, password, stored, address }: Claimant): string {
    const parts = [user, password, passwordHashText(stored), addressGroup(address)];
    return createHmac('sha256', this.#key).update(JSON.stringify(parts)).digest('base64');
  }
}
