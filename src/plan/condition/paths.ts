import { ProtocolError, type TextPosition } from '../../base/errors.ts';
import type { RequestLimits } from '../../base/limits.ts';

/** Settings of `config.yaml` that bound what one statement is made of. */
export interface PathSettings {
  readonly limits: RequestLimits;
}

/**
 * Refuses a path that goes over more relations than one may.
 * @param names the path, for the message
 * @param walked how many it goes over, as far as is known
 * @throws ProtocolError notApplicable
 */
export function checkDepth(
  walked: number,
  names: readonly string[],
  { limits: { maxExpandDepth } }: PathSettings,
  at: TextPosition,
): void {
  if (walked <= maxExpandDepth) return;
  throw new ProtocolError(
    'notApplicable',
    `${names.join('.')} goes over more than ${maxExpandDepth} ${maxExpandDepth === 1 ? 'relation' : 'relations'}`,
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
