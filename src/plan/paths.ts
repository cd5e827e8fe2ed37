import { ProtocolError, type TextPosition } from '../base/errors.ts';

/** How many relations a path may go over: more than people ask for, and few enough to bound the joins of one statement. */
export const DEEPEST = 10;

/** The error of a path that goes over more relations than one may. */
export function tooDeep(names: readonly string[], at: TextPosition): ProtocolError {
  return new ProtocolError(
    'notApplicable',
    `${names.join('.')} goes over more than ${DEEPEST} relations`,
    at,
  );
}

/**
 * How many tables one statement may have, and how many of them in subqueries over relations to many: planning and running
 * grow steeply with both, and one short URL must not keep the database busy for minutes.
 */
const MOST_TABLES = 100;
const MOST_SUBQUERY_TABLES = 24;

/** Counts the tables of one statement. */
export class TableCounter {
  #all = 0;
  #inSubqueries = 0;

  /** @throws ProtocolError notApplicable when the statement would have too many */
  add(): void {
    this.#all += 1;
    if (this.#all > MOST_TABLES) {
      throw new ProtocolError(
        'notApplicable',
        `The request walks over more than ${MOST_TABLES} relations at once.`,
      );
    }
  }

  /** @throws ProtocolError notApplicable when the conditions walk over too many relations to many */
  addSubquery(tables: number, at: TextPosition): void {
    this.#inSubqueries += tables;
    if (this.#inSubqueries > MOST_SUBQUERY_TABLES) {
      throw new ProtocolError(
        'notApplicable',
        `The conditions walk over more than ${MOST_SUBQUERY_TABLES} relations to many and behind them`,
        at,
      );
    }
  }
}
