import type { Row } from '../../database/database.ts';
import { DatabaseRefusal } from '../../database/violation.ts';
import type { DeletePlan } from '../../plan/write/delete.ts';
import type { Literal } from '../../protocol/ast.ts';
import type { Dialect, Statement } from '../../sql/dialect.ts';
import type { PlannedDelete, RefusedEntity } from '../convert/types.ts';
import { explainRefusal } from '../write/violation.ts';
import { returnedKeys } from '../save/rows/current-rows.ts';
import type { WriteContext } from '../write/attempt.ts';
import { deleteRows } from './delete-rows.ts';
import { writeAllOrNone, writeIndependently } from '../write/transactions.ts';
import type { Outcome } from '../write/outcome.ts';
import { retryingDeadlocks } from '../retry.ts';
import { refuseLockedKeys } from '../write/lock.ts';
import { sourceOn, type Execution } from '../run.ts';
import { keptByFilter, noneDeleted } from '../write/write-errors.ts';
import { WriteReport } from '../write/write-report.ts';
import type { WriteStatements, WriteStatementStore } from '../save/rows/write-statements.ts';

/** A plan with what is printed of it: what is kept for all deletes of one shape. */
export interface PrintedDelete {
  readonly plan: DeletePlan;
  readonly where: Statement | null;
  /** Counts what is to be deleted, where no keys tell of it. */
  readonly counted: Statement | null;
  /** Counts what the filter finds still, where that has to be asked. */
  readonly left: Statement | null;
  readonly statements: WriteStatements;
}

/**
 * Prints what all deletes of a shape share.
 * @param statements what all deletes of a dataclass share
 */
export function printDelete(
  plan: DeletePlan,
  dialect: Dialect,
  statements: WriteStatementStore,
): PrintedDelete {
  return {
    plan,
    where: plan.where === null ? null : dialect.printWrite(plan.where),
    counted: plan.counted === null ? null : dialect.print(plan.counted),
    left: plan.left === null ? null : dialect.print(plan.left),
    statements: statements.of(plan.dataclass),
  };
}

/**
 * Deletes the entities that a filter finds, by one statement, all or none. Where triggers may keep rows, another statement checks whether they
 * have.
 * @throws ProtocolError where a rule of the database is broken, and what the database throws
 */
export async function runDeleteWhere(
  { plan: { dataclass }, counted, left }: PrintedDelete,
  statement: Statement,
  values: readonly Literal[],
  execution: Execution,
): Promise<void> {
  const { database, model, activity } = execution;
  const report = WriteReport.of(execution, { kind: 'delete', dataclass, unique: null });
  let deleted: { readonly rows: readonly Row[]; readonly isAny: boolean };
  try {
    deleted = await retryingDeadlocks(() =>
      database.transaction(async (connection) => {
        const source = sourceOn(connection, execution);
        const countOf = async (count: Statement): Promise<number> => {
          const [row] = await source.run(count, { values });
          return Number(row?.[0] ?? 0);
        };
        const isAny = counted === null || (await countOf(counted)) > 0;
        const rows = await source.run(statement, { values });
        if (execution.locks !== null && statement.readers.length > 0) {
          await refuseLockedKeys(
            [...returnedKeys(statement, rows, dataclass)],
            dataclass,
            { locks: execution.locks, source },
            noneDeleted(dataclass),
          );
        }
        if (left !== null && (await countOf(left)) > 0) throw keptByFilter(dataclass);
        return { rows, isAny };
      }, activity),
    );
  } catch (error) {
    if (!(error instanceof DatabaseRefusal)) throw error;
    throw explainRefusal(error, { kind: 'delete', dataclass, model }).leadingTo(
      noneDeleted(dataclass),
    );
  }
  // Of a dataclass without a key it is not known which they were.
  const keyless = deleted.isAny ? [null] : [];
  const isKeyed = statement.readers.length > 0;
  await report?.deleted(isKeyed ? returnedKeys(statement, deleted.rows, dataclass) : keyless);
}

/**
 * Deletes entities by their keys. With `$atomic` all are deleted or none (§4.13); otherwise each stands or falls alone.
 * @throws ProtocolError of an atomic request that failed, naming the element; what the database throws
 */
export async function runDelete(
  { plan, statements }: PrintedDelete,
  entities: readonly (PlannedDelete | RefusedEntity)[],
  execution: Execution,
): Promise<readonly Outcome[]> {
  const { dataclass, atomic, target } = plan;
  const unique = target?.unique ?? null;
  const context: WriteContext = {
    kind: 'delete',
    dataclass,
    model: execution.model,
    statements,
    attributes: target?.attributes ?? dataclass.key,
    unique,
    isInBody: target === null,
    atomic,
    report: WriteReport.of(execution, { kind: 'delete', dataclass, unique }),
  };
  const outcomes = atomic
    ? await writeAllOrNone(entities, context, execution, (attempt) => deleteRows(entities, attempt))
    : await writeIndependently(entities, context, execution, (some, attempt) =>
        deleteRows(some, attempt),
      );
  // The answer spells the keys as the client does.
  return outcomes
    .map((outcome) => ({ ...outcome, key: entities[outcome.index]?.key ?? null }))
    .sort((a, b) => a.index - b.index);
}
