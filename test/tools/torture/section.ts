import type { Chance } from '../../fixtures/legacy/random.ts';
import type { Config } from '../../../src/config/config.ts';
import { problemOf } from './answer-shape.ts';
import type { Reply, Sent } from './client.ts';
import type { Measured } from './gateway.ts';
import { outcomeOf } from './regulars.ts';

/** What a section is given. */
export interface Trial {
  readonly engine: string;
  /** The gateway as it runs now. */
  readonly gateway: () => Measured;
  /** What it serves, and by which settings. */
  readonly database: Config['database'];
  /**
   * Stops the gateway, or ends it where it does not answer, and starts another one.
   * @param database other settings of the database's
   */
  readonly restart: (database?: Readonly<Record<string, unknown>>) => Promise<void>;
  readonly random: Chance;
  /** Of the large inputs, and the crowds, those are tried whose names hold this. */
  readonly match: string;
  /** When the section has to come to its end, by `performance.now()`. */
  readonly until: number;
  /** Takes note of an invariant that does not hold. */
  readonly broken: (what: string) => void;
}

/** How long the event loop may be held at a time, in milliseconds. */
export const LONGEST_HOLD = 50;

/** A row of the table. */
export interface Outcome {
  readonly inputs: number;
  /** The longest that the event loop was held at a time, in milliseconds. */
  readonly held: number;
  /** The most memory that was resident, in bytes; null where that was not looked at. */
  readonly peak: number | null;
  /** What else was found out, in words. */
  readonly also: string;
}

/** What requests came to, and which invariants of answers do not hold. */
export class Replies {
  count = 0;
  /** The longest, in milliseconds. */
  slowest = 0;
  readonly #kinds = new Map<string, number>();
  readonly #broken: (what: string) => void;
  readonly #expected: RegExp;

  /** @param expected matches how requests may end */
  constructor(broken: (what: string) => void, expected: RegExp) {
    this.#broken = broken;
    this.#expected = expected;
  }

  /** @param when what else is told where it is wrong; @param most how long it may take, in milliseconds */
  note(reply: Reply, { method, url }: Sent, when = '', most = Infinity): void {
    this.count += 1;
    this.slowest = Math.max(this.slowest, reply.took);
    const said = outcomeOf(reply);
    this.#kinds.set(said, (this.#kinds.get(said) ?? 0) + 1);
    const problem = problemOf(reply, method);
    const what = `${method} ${url}${when}`;
    if (problem !== null) this.#broken(`${problem} to ${what}`);
    else if (!this.#expected.test(said)) this.#broken(`${said} to ${what}`);
    if (reply.took > most) this.#broken(`${said} took ${reply.took.toFixed(0)} ms: ${what}`);
  }

  /** How often each kind of answer came. */
  toString(): string {
    return [...this.#kinds].map(([kind, count]) => `${kind}: ${count}`).join(', ');
  }
}
