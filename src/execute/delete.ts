import { DatabaseRefusal } from '../database/violation.ts';
import type { DeletePlan } from '../plan/delete.ts';
import type { Literal } from '../request/ast.ts';
import type { Dialect, Statement } from '../sql/dialect.ts';
import type { PlannedDelete, RefusedEntity } from '../values/types.ts';
import { explainRefusal } from '../values/violation.ts';
import { allOrNone } from './all-or-none.ts';
import type { WriteContext } from './attempt.ts';
import { deleteRows } from './delete-rows.ts';
import { eachAlone } from './each-alone.ts';
import type { Outcome } from './outcome.ts';
import { retryingDeadlocks } from './retry.ts';
import { bindStatement, type Execution } from './run.ts';
import type { WriteStatements, WriteStatementStore } from './write-statements.ts';

/** A plan with what is printed of it: what is kept for all deletes of one shape. */
export interface PrintedDelete {
  readonly plan: DeletePlan;
  readonly where: Statement | null;
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
    statements: statements.of(plan.dataclass),
  };
}

/**
 * Deletes what the filter finds, by one statement: all of it or nothing.
 * @throws ProtocolError where a rule of the database stands against it, and what the database throws
 */
export async function runDeleteWhere(
  { plan: { dataclass } }: PrintedDelete,
  statement: Statement,
  values: readonly Literal[],
  { database, model, activity }: Execution,
): Promise<void> {
  const command = bindStatement(statement, { values }, database.dialect);
  try {
    await retryingDeadlocks(() =>
      database.transaction((connection) => connection.run(command, activity), activity),
    );
  } catch (error) {
    if (!(error instanceof DatabaseRefusal)) throw error;
    throw explainRefusal(error, { kind: 'delete', dataclass, model }).leadingTo({
      errorName: 'entityNotDeleted',
      message: `No entity of ${dataclass.name} was deleted.`,
    });
  }
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
  const context: WriteContext = {
    kind: 'delete',
    dataclass,
    model: execution.model,
    statements,
    attributes: target?.attributes ?? dataclass.key,
    unique: target?.unique ?? null,
    isInBody: target === null,
    atomic,
  };
  const outcomes = atomic
    ? await allOrNone(context, execution, (attempt) => deleteRows(entities, attempt))
    : await eachAlone(entities, context, execution, (some, attempt) => deleteRows(some, attempt));
  // What a client named in its own way is answered in that way.
  return outcomes
    .map((outcome) => ({ ...outcome, key: entities[outcome.index]?.key ?? null }))
    .sort((a, b) => a.index - b.index);
}
