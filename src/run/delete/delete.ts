import type { Row } from '../../database/database.ts';
import { DatabaseRefusal } from '../../database/violation.ts';
import type { DeletePlan } from '../../plan/write/delete.ts';
import type { Literal } from '../../protocol/ast.ts';
import type { Statement } from '../../sql/ir/statement.ts';
import type { PlannedDelete, RefusedEntity } from '../convert/types.ts';
import { explainRefusal } from '../write/violation.ts';
import { returnedKeys } from '../save/rows/affected-keys.ts';
import { allOfIt } from '../write/all-or-none.ts';
import type { WriteContext } from '../write/attempt.ts';
import { deleteRows } from './delete-rows.ts';
import { writeIndependently } from '../write/write-independently.ts';
import type { Outcome } from '../write/outcome.ts';
import { retryingDeadlocks } from '../../database/retry.ts';
import { refuseLockedKeys } from '../write/refuse-locked.ts';
import { sourceOn, type Execution } from '../run.ts';
import { keptByFilter, noneDeleted } from '../write/write-errors.ts';
import { WriteReport } from '../write/write-report.ts';
import type { WriteStatements } from '../save/rows/write-statements.ts';

/** A plan with the statements that write its dataclass. */
export interface PrintedDelete {
  readonly plan: DeletePlan;
  readonly statements: WriteStatements;
}

/**
 * Deletes what the filter finds, by one statement: all of it or nothing. Where triggers may keep rows, another one looks whether
 * they have.
 * @throws ProtocolError where a rule of the database stands against it, and what the database throws
 */
export async function runDeleteWhere(
  { dataclass, counted, left }: DeletePlan,
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
  // Of a dataclass without a key nobody knows which they were.
  const keyless = deleted.isAny ? [null] : [];
  const isKeyed = statement.readers.length > 0;
  await report?.deleted(isKeyed ? returnedKeys(statement, deleted.rows, dataclass) : keyless);
}

/**
 * Deletes entities by their keys. With `$atomic` all are deleted or none (§4.13); without it each stands or falls alone.
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
    ? await allOfIt(entities, context, execution, (attempt) => deleteRows(entities, attempt))
    : await writeIndependently(entities, context, execution, (some, attempt) =>
        deleteRows(some, attempt),
      );
  // What a client named in its own way is answered in that way.
  return outcomes
    .map((outcome) => ({ ...outcome, key: entities[outcome.index]?.key ?? null }))
    .sort((a, b) => a.index - b.index);
}
