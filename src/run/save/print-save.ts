import type { SavePlan } from '../../plan/write/save.ts';
import type { Dialect, Reader, Statement } from '../../sql/dialect.ts';
import { isPlainSave } from './plain-save.ts';
import { printFetch, type PrintedRows } from '../read/print-read.ts';
import type { WriteStatements, WriteStatementStore } from './rows/write-statements.ts';

/** A plan with what is printed of it: what is kept for all saves of one shape. */
export interface PrintedSave {
  readonly plan: SavePlan;
  /** Reads what saved entities hold themselves, in the transaction that saves them. */
  readonly own: Statement;
  /** Reads what is related to them, after the commit; null where nothing of it is asked for. */
  readonly related: Statement | null;
  /** The rows of both together, as they are answered. */
  readonly answer: PrintedRows;
  readonly statements: WriteStatements;
  /** Whether one statement may do, see {@link isPlainSave}. */
  readonly isPlain: boolean;
}

/**
 * Prints what all saves of a shape share.
 * @param statements what all saves of a dataclass share
 */
export function printSave(
  plan: SavePlan,
  dialect: Dialect,
  statements: WriteStatementStore,
): PrintedSave {
  const { own: ownQuery, related: relatedQuery, columns, shape, children } = plan.answer;
  const own = dialect.print(ownQuery);
  const related = relatedQuery === null ? null : dialect.print(relatedQuery);
  const readers = columns.flatMap(({ query, at }): Reader[] => {
    const reader = (query === 'own' ? own : related)?.readers[at];
    return reader === undefined ? [] : [reader];
  });
  return {
    plan,
    own,
    related,
    answer: {
      readers,
      shape,
      children: children.map(({ links, fetch }) => ({
        links,
        fetch: printFetch(fetch, dialect),
      })),
    },
    statements: statements.of(plan.dataclass),
    isPlain: isPlainSave(plan),
  };
}
