import { excerpt } from '../text.ts';
import { type NamedRequest, rounded, type StatementRun } from './observer.ts';

/** How many statements a line holds: those that took longest. */
const LOGGED_STATEMENTS = 10;

/** How many characters of a statement, and of the description of the query, a line holds. */
const LONGEST_TEXT = 4000;

/** The line of the log for a slow request: its statements, and the query as `$queryplan` describes it, without values. */
export class SlowRequest {
  readonly #longest: StatementRun[] = [];
  #named: NamedRequest | null = null;
  #statements = 0;
  #waited = 0;

  /** Whether it is meant to last, so that its time says nothing. */
  get isStream(): boolean {
    return this.#named?.operation === 'changesStream';
  }

  requestNamed(request: NamedRequest): void {
    this.#named = request;
  }

  poolWaited(milliseconds: number): void {
    this.#waited += milliseconds;
  }

  /** Keeps a statement, in place of the shortest one where there are too many. */
  statementRun(statement: StatementRun): void {
    const longest = this.#longest;
    this.#statements += 1;
    if (longest.length < LOGGED_STATEMENTS) {
      longest.push(statement);
      return;
    }
    const shortest = longest.reduce((one, other) =>
      other.milliseconds < one.milliseconds ? other : one,
    );
    if (shortest.milliseconds < statement.milliseconds) {
      longest[longest.indexOf(shortest)] = statement;
    }
  }

  /** The members of the request's line about all this. */
  details(): object {
    const { operation, describe } = this.#named ?? {};
    const plan = describe?.() ?? null;
    return {
      ...(operation !== undefined && { operation }),
      poolWaitMs: rounded(this.#waited),
      statements: this.#statements,
      longest: this.#longest.toSorted((a, b) => b.milliseconds - a.milliseconds).map(logged),
      ...(plan !== null && { plan: excerpt(plan, LONGEST_TEXT) }),
    };
  }
}

function logged({ name, text, milliseconds, rows, failure }: StatementRun): object {
  const outcome = failure === undefined ? { rows } : { failed: failure };
  return { name, sql: excerpt(text, LONGEST_TEXT), ms: rounded(milliseconds), ...outcome };
}
