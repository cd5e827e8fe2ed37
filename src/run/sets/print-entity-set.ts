import type {
  DeleteSetPlan,
  EntitySetPlan,
  SavedKeys,
  SetNarrowing,
  StoredSet,
} from '../../plan/read/entity-set.ts';
import type { AddressedEntity } from '../../plan/condition/types.ts';
import type { Slot } from '../../protocol/ast.ts';
import type { Dialect, Statement } from '../../sql/dialect.ts';
import { printFetch, type PrintedFetch } from '../read/print-read.ts';
import type { WriteStatements, WriteStatementStore } from '../save/rows/write-statements.ts';

/** A plan with its statements printed: what is kept for all requests of one shape. */
export interface PrintedEntitySet {
  readonly plan: EntitySetPlan;
  readonly source: PrintedSource;
  readonly narrowing: PrintedNarrowing | null;
  readonly page: PrintedFetch;
  readonly globalStamp: Statement;
}

/** Where the keys come from. */
export type PrintedSource =
  | PrintedStoredSet
  | {
      readonly kind: 'selection';
      readonly keys: Statement;
      readonly origin: Statement | null;
      readonly needed: AddressedEntity | null;
      readonly one: boolean;
    };

/** A set that is there, or was. */
export interface PrintedStoredSet {
  readonly kind: 'set';
  readonly id: Slot;
  readonly saved: SavedKeys<Statement> | null;
  readonly removed: Slot | null;
}

/** What finds out which of the keys of a set stay, and in which order. */
export interface PrintedNarrowing {
  readonly statement: Statement;
  /** Whether it is an order of its own, for which all keys have to be there at once. */
  readonly isOrder: boolean;
  readonly keepsUndefined: boolean;
}

/** The delete of a set's entities with what is printed of it. */
export interface PrintedDeleteSet {
  readonly plan: DeleteSetPlan;
  readonly narrowing: PrintedNarrowing | null;
  readonly statements: WriteStatements;
}

/** Prints the statements of a plan. */
export function printEntitySet(plan: EntitySetPlan, dialect: Dialect): PrintedEntitySet {
  return {
    plan,
    source: printSource(plan, dialect),
    narrowing: plan.narrowing === null ? null : printNarrowing(plan.narrowing, dialect),
    page: printFetch(plan.page, dialect),
    globalStamp: dialect.print(plan.globalStamp),
  };
}

/**
 * Prints what all deletes of a shape share.
 * @param statements what all deletes of a dataclass share
 */
export function printDeleteSet(
  plan: DeleteSetPlan,
  dialect: Dialect,
  statements: WriteStatementStore,
): PrintedDeleteSet {
  return {
    plan,
    narrowing: plan.narrowing === null ? null : printNarrowing(plan.narrowing, dialect),
    statements: statements.of(plan.dataclass),
  };
}

function printSource({ source }: EntitySetPlan, dialect: Dialect): PrintedSource {
  if (source.kind === 'selection') {
    return {
      ...source,
      keys: dialect.print(source.keys),
      origin: source.origin === null ? null : dialect.print(source.origin),
    };
  }
  return printStoredSet(source, dialect);
}

/** Prints what a set is made of again. */
export function printStoredSet(set: StoredSet, dialect: Dialect): PrintedStoredSet {
  const { saved } = set;
  return {
    ...set,
    saved: saved === null ? null : { ...saved, keys: dialect.print(saved.keys) },
  };
}

/** Prints what is asked about the keys of a set. */
export function printNarrowing(
  { query, keepsUndefined }: SetNarrowing,
  dialect: Dialect,
): PrintedNarrowing {
  return { statement: dialect.print(query), isOrder: query.orderBy.length > 0, keepsUndefined };
}
