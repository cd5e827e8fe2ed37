import type { SavePlan } from '../../plan/write/save.ts';
import type { Dialect, Reader, Statement } from '../../sql/dialect.ts';
import { type PrintedRows, printFetch } from '../read/print-read.ts';
import type { WriteStatements, WriteStatementStore } from './rows/write-statements.ts';
import { isEngineStamp } from '../../model/types.ts';
import { neededFor } from '../../plan/write/rights.ts';
import type { ColumnType } from '../../schema/types.ts';
import { restrictedColumns } from './references.ts';

/** Types of keys whose values have one text, whatever a client writes. */
const KEYS: ReadonlySet<ColumnType['kind']> = new Set(['integer', 'uuid']);

/**
 * Whether all that saves of a shape do besides changing rows is to read these again, and their rows can be found, locked and told apart by one
 * statement.
 */
function isPlainSave({ dataclass, method, target, answer, replaced }: SavePlan): boolean {
  const { table, key, stamp } = dataclass;
  return (
    method === 'update' &&
    (target?.unique ?? null) === null &&
    answer.related === null &&
    replaced.size === 0 &&
    answer.inside === null &&
    neededFor(dataclass, 'update') === null &&
    restrictedColumns(dataclass).length === 0 &&
    isEngineStamp(stamp) &&
    table.kind === 'table' &&
    table.instead === undefined &&
    table.unlockable === undefined &&
    table.updatesMore === undefined &&
    key.length > 0 &&
    key.every(({ column, columnType }) => KEYS.has(column.type.kind) && columnType === column.type)
  );
}

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

/** Prints what all saves of a shape share. @param statements what all saves of a dataclass share */
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
