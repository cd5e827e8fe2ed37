import { DatabaseRefusal } from '../../database/violation.ts';
import type { NaturalKey } from '../../plan/write/natural-key.ts';

/** How often a transaction is tried that finds nothing more than the last time, and is refused again. */
const MOST_VAIN = 3;

/** Tries transactions again that find entities by a natural key, or create them, where another writer was first. */
export class TakenKey {
  readonly naturalKey: NaturalKey;
  /** The indexes of the elements that the transaction has found no row for. */
  missing: number[] = [];

  constructor(naturalKey: NaturalKey) {
    this.naturalKey = naturalKey;
  }

  /** Runs a transaction, and again where it was refused because a row has the natural key of one that it creates. */
  async retrying<Result>(transact: () => Promise<Result>): Promise<Result> {
    let before = '';
    for (let vain = 1; ; vain += 1) {
      try {
        return await transact();
      } catch (error) {
        const missing = this.missing.join();
        if (missing !== before) vain = 1;
        if (vain === MOST_VAIN || !this.#isTaken(error)) throw error;
        before = missing;
      }
    }
  }

  #isTaken(error: unknown): boolean {
    for (let cause = error; cause instanceof Error; { cause } = cause) {
      if (!(cause instanceof DatabaseRefusal)) continue;
      const { rule, names } = cause.violation;
      return rule === 'unique' && this.naturalKey.indexes.some((name) => names.includes(name));
    }
    return false;
  }
}
