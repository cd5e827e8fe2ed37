import type { SavePlan } from '../../plan/write/save.ts';
import type { KeyedQuery } from '../../sql/ir/ir.ts';
import type { Prepared, Statement } from '../../sql/ir/statement.ts';
import type { RowsPlan } from '../../plan/condition/types.ts';
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
  readonly own: Prepared<KeyedQuery>;
  /** Reads what is related to them, after the commit; null where nothing of it is asked for. */
  readonly related: Statement | null;
  /** The rows of both together, as they are answered. */
  readonly answer: RowsPlan;
  readonly statements: WriteStatements;
  /** Whether one statement may do, see {@link isPlainSave}. */
  readonly isPlain: boolean;
}

/** Prints what all saves of a shape share. @param statements what all saves of a dataclass share */
export function printSave(plan: SavePlan, statements: WriteStatementStore): PrintedSave {
  const { own, related, rows: answer } = plan.answer;
  return {
    plan,
    own,
    related,
    answer,
    statements: statements.of(plan.dataclass),
    isPlain: isPlainSave(plan),
  };
}
