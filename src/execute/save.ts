import { ProtocolError } from '../base/errors.ts';
import type { Database, Session } from '../database/database.ts';
import type { Model } from '../model/types.ts';
import type { KeyTexts } from '../plan/body-key.ts';
import type { PlannedEntity } from '../plan/planned-entity.ts';
import type { SavePlan } from '../plan/save.ts';
import type { Literal } from '../request/ast.ts';
import type { Dialect, Statement } from '../sql/dialect.ts';
import { prepareFetch, type PreparedFetch } from './prepare.ts';
import { fetchByKeys, type FetchedRows } from './read.ts';
import { retryingDeadlocks } from './retry.ts';
import { runQuery } from './run.ts';
import { SaveRun } from './save-run.ts';
import {
  BatchRefused,
  noEntity,
  notChanged,
  stampChanged,
  type Failure,
  type WriteParts,
} from './write-run.ts';
import { WriteStatements } from './write-statements.ts';

/** A plan with what is printed of it: what is kept for all saves of one shape. */
export interface PreparedSave {
  readonly plan: SavePlan;
  readonly answer: PreparedFetch;
  readonly globalStamp: Statement;
  readonly statements: WriteStatements;
}

/** Prints what all saves of a shape share. */
export function prepareSave(plan: SavePlan, dialect: Dialect): PreparedSave {
  return {
    plan,
    answer: prepareFetch(plan.answer, dialect),
    globalStamp: dialect.print({ kind: 'globalStamp' }),
    statements: new WriteStatements(plan.dataclass, plan, dialect),
  };
}

/** How the save of one entity ended. */
export interface SaveOutcome {
  /** Null where it was saved. */
  readonly failure: Failure | null;
  /** Null where it is not known: of a new entity that was not saved, or whose key nobody told. */
  readonly key: KeyTexts | null;
  /** The entity as it is now, an index into the fetched rows; -1 where it is not there or not asked for. */
  readonly row: number;
}

/** How a save ended, in the order of the body. */
export interface SaveResult {
  readonly outcomes: readonly SaveOutcome[];
  readonly fetched: FetchedRows;
  readonly globalStamp: string;
}

/** An object of the body as far as it could be read: an entity to save, or why it is none. */
export type ReadEntity = PlannedEntity | ProtocolError;

/**
 * Saves the entities of a body and reads them again. Without `$atomic` each stands or falls alone; with it all are saved in
 * one transaction, or none (§4.13).
 * @throws ProtocolError of an atomic request that failed, naming the element; what the database throws
 */
export async function runSave(
  prepared: PreparedSave,
  entities: readonly ReadEntity[],
  values: readonly Literal[],
  model: Model,
  database: Database,
): Promise<SaveResult> {
  const { plan, statements } = prepared;
  const { dataclass, atomic } = plan;
  const { dialect } = database;
  const attempt = (session: Session, oneByOne: boolean): Promise<SaveResult> =>
    saveOn(
      { dataclass, model, statements, dialect, session, atomic, oneByOne },
      prepared,
      entities,
      values,
    );
  return inScope(atomic, database, attempt);
}

/**
 * Runs the writes of a request: on the database itself where each stands alone; in one transaction where they are atomic, which
 * is tried again as a whole when it was the victim of a deadlock, and one by one when several were refused together.
 */
export async function inScope<Result>(
  atomic: boolean,
  database: Database,
  attempt: (session: Session, oneByOne: boolean) => Promise<Result>,
): Promise<Result> {
  if (!atomic) return attempt(database.primary, false);
  const transaction = (oneByOne: boolean): Promise<Result> =>
    retryingDeadlocks(() => database.transaction((session) => attempt(session, oneByOne)));
  try {
    return await transaction(false);
  } catch (error) {
    if (!(error instanceof BatchRefused)) throw error;
    return transaction(true);
  }
}

async function saveOn(
  parts: WriteParts,
  prepared: PreparedSave,
  entities: readonly ReadEntity[],
  values: readonly Literal[],
): Promise<SaveResult> {
  const run = new SaveRun(parts, prepared.plan.target?.attributes ?? parts.dataclass.key);
  await run.save(entities);
  const keys = entities.map((_, index) => run.keys.get(index) ?? null);
  const wanted = keys.flatMap((key, index) => (key === null ? [] : [{ key, index }]));
  const readBack = async (): Promise<SaveResult> => {
    const { fetched, rowOf } = await fetchByKeys(
      prepared.answer,
      wanted.map(({ key }) => key),
      values,
      run.readSource,
    );
    const rows = new Map(wanted.map(({ index }, at) => [index, rowOf[at] ?? -1]));
    const first = fetched.rows[0];
    const globalStamp =
      first === undefined
        ? (await runQuery(prepared.globalStamp, {}, run.readSource))[0]?.[0]
        : first[prepared.plan.globalStampColumn];
    return {
      fetched,
      globalStamp: String(globalStamp),
      outcomes: keys.map((key, index) =>
        outcome(run, key, index, rows.get(index) ?? -1, prepared.plan),
      ),
    };
  };
  try {
    return await readBack();
  } catch (error) {
    const isSaved = run.keys.size > 0 && !parts.atomic && error instanceof ProtocolError;
    if (!isSaved) throw error;
    // What is saved is saved, also where it can no longer be read: clients must not save it twice.
    return {
      fetched: { rows: [], children: [] },
      globalStamp: '0',
      outcomes: keys.map((key, index) => ({
        failure: run.failures.get(index) ?? null,
        key,
        row: -1,
      })),
    };
  }
}

/** What became of rows that the statement did not find as they were read: gone by now, changed by somebody else, or kept. */
function outcome(
  run: SaveRun,
  key: KeyTexts | null,
  index: number,
  row: number,
  { dataclass, filtered }: SavePlan,
): SaveOutcome {
  const missed = run.missed.get(index);
  if (missed === undefined) return { failure: run.failures.get(index) ?? null, key, row };
  if (row < 0 && !filtered) return failed(noEntity(key, dataclass), false);
  return missed === 'stamped'
    ? failed(stampChanged('update', key, dataclass), true)
    : failed(notChanged('update', key, dataclass), false);

  function failed(error: ProtocolError, hasStampChanged: boolean): SaveOutcome {
    return { failure: { error, stampChanged: hasStampChanged }, key, row };
  }
}
