import type { Session } from '../database/database.ts';
import { DatabaseRefusal } from '../database/violation.ts';
import type { KeyTexts } from '../values/body-key.ts';
import type { DeletePlan } from '../plan/delete.ts';
import { explainRefusal } from '../values/violation.ts';
import type { Literal } from '../request/ast.ts';
import type { Dialect, Statement } from '../sql/dialect.ts';
import { retryingDeadlocks } from './retry.ts';
import { bindStatement, type WriteContext } from './run.ts';
import { inScope } from './save.ts';
import { noEntity, notChanged, stampChanged } from './write-errors.ts';
import {
  inKeyOrder,
  keyId,
  metKeys,
  rowCount,
  WriteRun,
  type Failure,
  type HeldRow,
  type Written,
} from './write-run.ts';
import type { WriteStatements, WriteStatementStore } from './write-statements.ts';
import type { PlannedDelete, RefusedEntity } from '../values/types.ts';

/** A plan with what is printed of it: what is kept for all deletes of one shape. */
export interface PreparedDelete {
  readonly plan: DeletePlan;
  readonly where: Statement | null;
  readonly statements: WriteStatements;
}

/**
 * Prints what all deletes of a shape share.
 * @param statements what all deletes of a dataclass share
 */
export function prepareDelete(
  plan: DeletePlan,
  dialect: Dialect,
  statements: WriteStatementStore,
): PreparedDelete {
  return {
    plan,
    where: plan.where === null ? null : dialect.printWrite(plan.where),
    statements: statements.of(plan.dataclass),
  };
}

/**
 * Deletes what the filter finds, in one statement: all of it or nothing.
 * @throws ProtocolError where a rule of the database stands against it, and what the database throws
 */
export async function runDeleteWhere(
  { plan: { dataclass } }: PreparedDelete,
  statement: Statement,
  values: readonly Literal[],
  { model, database: { primary, dialect }, activity }: WriteContext,
): Promise<void> {
  activity.signal.throwIfAborted();
  const bound = bindStatement(statement, { values }, dialect);
  try {
    await retryingDeadlocks(() => primary.change(statement.text, bound));
  } catch (error) {
    if (!(error instanceof DatabaseRefusal)) throw error;
    throw explainRefusal(error, dataclass, model, 'delete').leadingTo({
      errorName: 'entityNotDeleted',
      message: `No entity of ${dataclass.name} was deleted.`,
    });
  }
}

/** How the delete of one entity ended. */
export interface DeleteOutcome {
  readonly failure: Failure | null;
  /** Null where none could be read. */
  readonly key: KeyTexts | null;
}

/**
 * Deletes entities by their keys. Without `$atomic` each stands or falls alone; with it all are deleted in one transaction, or
 * none (§4.13).
 * @throws ProtocolError of an atomic request that failed, naming the element; what the database throws
 */
export async function runDelete(
  { plan, statements }: PreparedDelete,
  entities: readonly (PlannedDelete | RefusedEntity)[],
  { model, database, activity }: WriteContext,
): Promise<DeleteOutcome[]> {
  const { dataclass, atomic } = plan;
  const { dialect } = database;
  const attempt = async (session: Session, oneByOne: boolean): Promise<DeleteOutcome[]> => {
    const run = new DeleteRun({
      kind: 'delete',
      unique: plan.target?.unique ?? null,
      isInBody: plan.target === null,
      dataclass,
      model,
      statements,
      dialect,
      session,
      activity,
      inTransaction: atomic,
      atomic,
      oneByOne,
    });
    await run.delete(entities, plan.target?.attributes ?? dataclass.key);
    return entities.map((entity, index) => ({
      failure: run.failures.get(index) ?? null,
      key: entity.key,
    }));
  };
  return inScope(atomic, database, attempt);
}

interface Deletion {
  readonly written: Written;
  readonly held: HeldRow;
  readonly stamp: string | null;
}

/** Reads the rows of the entities, all by one statement, and deletes them, all by one or two. */
class DeleteRun extends WriteRun {
  async delete(
    entities: readonly (PlannedDelete | RefusedEntity)[],
    attributes: DeletePlan['dataclass']['key'],
  ): Promise<void> {
    let waiting: PlannedDelete[] = [];
    for (const entity of entities) {
      if ('error' in entity) this.fail(entity, entity.error);
      else waiting.push(entity);
    }
    // An entity that a body holds twice is deleted twice, one after the other: it may be there still.
    while (waiting.length > 0) waiting = await this.#delete(waiting, attributes);
  }

  /** @returns the entities whose rows another entity of the body deletes first */
  async #delete(
    planned: readonly PlannedDelete[],
    attributes: DeletePlan['dataclass']['key'],
  ): Promise<PlannedDelete[]> {
    const keys = planned.map(({ key }) => key);
    const rows = await this.heldRows(attributes, keys, []);
    const again: PlannedDelete[] = [];
    const deletions: Deletion[] = [];
    const seen = new Set<string>();
    for (const [at, entity] of planned.entries()) {
      const { index, key, stamp } = entity;
      const held = rows[at] ?? null;
      if (held === null) {
        this.fail({ index, key }, noEntity(key, this.parts.dataclass, this.parts.unique));
        continue;
      }
      const id = keyId(held.key);
      if (seen.has(id)) {
        again.push(entity);
        continue;
      }
      seen.add(id);
      const written = { index, key: held.key };
      if (stamp === null || stamp === held.stamp) deletions.push({ written, held, stamp });
      else this.fail(written, stampChanged('delete', key, this.parts.dataclass), true);
    }
    const stamped = deletions.filter(({ stamp }) => stamp !== null);
    const others = deletions.filter(({ stamp }) => stamp === null);
    const groups = this.#isAlone
      ? deletions.map((deletion) => [deletion])
      : [stamped, others].filter((group) => group.length > 0);
    await this.apply(groups, 'delete', (items) => this.#deleteRows(items));
    return again;
  }

  async #deleteRows(unordered: readonly Deletion[]): Promise<void> {
    const items = inKeyOrder(unordered);
    const isStamped = items[0]?.stamp !== null;
    const { statements, dataclass } = this.parts;
    const statement = statements.deleteRows(isStamped, rowCount(items));
    const rows = await this.change(statement, {
      rows: items.map(({ held, stamp }) => [...held.key, ...(stamp === null ? [] : [stamp])]),
    });
    if (this.#isAlone) {
      await this.#explain(items, rows.length > 0);
      return;
    }
    const done = metKeys(statement, rows, dataclass);
    await this.#explain(items.filter(({ held }) => !done.has(keyId(held.key))));
  }

  /** A trigger that stands in for the statement takes one row, and nothing says what it does to it. */
  get #isAlone(): boolean {
    return this.parts.dataclass.table.instead?.includes('delete') ?? false;
  }

  /**
   * Says why rows that were there were not deleted: gone by now, changed by somebody else, or kept.
   * @param wereMet whether those that are gone are so by the statement
   */
  async #explain(missed: readonly Deletion[], wereMet = false): Promise<void> {
    const { dataclass } = this.parts;
    const keys = missed.map(({ held }) => held.key);
    const present = await this.heldRows(dataclass.key, keys, []);
    for (const [at, { written, held, stamp }] of missed.entries()) {
      const now = present[at] ?? null;
      if (now === null) {
        if (!wereMet) this.fail(written, noEntity(held.key, dataclass));
      } else if (stamp !== null && stamp !== now.stamp) {
        this.fail(written, stampChanged('delete', held.key, dataclass), true);
      } else this.fail(written, notChanged('delete', held.key, dataclass));
    }
  }
}
