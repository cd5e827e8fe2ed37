import type { Connection, Database } from '../database/database.ts';
import { DatabaseRefusal } from '../database/violation.ts';
import type { Model } from '../model/types.ts';
import { unattended } from '../observe/observer.ts';
import type { KeyTexts } from '../values/body-key.ts';
import type { SavePlan } from '../plan/save.ts';
import { explainRefusal } from '../values/violation.ts';
import type { Literal } from '../request/ast.ts';
import type { Dialect, Statement } from '../sql/dialect.ts';
import { prepareFetch, type PreparedFetch } from './prepare.ts';
import { fetchByKeys, type FetchedRows } from './read.ts';
import { retryingDeadlocks } from './retry.ts';
import { runQuery } from './run.ts';
import { saveInPieces, type SavePiece } from './save-pieces.ts';
import { SaveRun } from './save-run.ts';
import { noEntity, notChanged, stampChanged, nothingDone } from './write-errors.ts';
import { BatchRefused, cellText, type Failure, type WriteParts } from './write-run.ts';
import { WriteStatements } from './write-statements.ts';
import type { PlannedEntity, RefusedEntity } from '../values/types.ts';

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

/** How the save of entities that were written and read again in one transaction ended, in the order of the body. */
export interface SavedPart {
  readonly outcomes: readonly SaveOutcome[];
  readonly fetched: FetchedRows;
  readonly globalStamp: string;
}

/** An object of the body as far as it could be read: an entity to save, or why it is none. */
export type ReadEntity = PlannedEntity | RefusedEntity;

/**
 * Saves the entities of a body and reads them again, in the same transaction: what a client is told is what it saved, and no
 * stamp that somebody else made since. With `$atomic` all are saved or none (§4.13); without it each stands or falls
 * alone.
 * @throws ProtocolError of an atomic request that failed, naming the element; what the database throws
 */
export async function runSave(
  prepared: PreparedSave,
  entities: readonly ReadEntity[],
  values: readonly Literal[],
  model: Model,
  database: Database,
): Promise<readonly SavedPart[]> {
  const { plan, statements } = prepared;
  const { dataclass, atomic } = plan;
  const { dialect } = database;
  const common = {
    kind: 'save',
    unique: plan.target?.unique ?? null,
    isInBody: true,
    dataclass,
    model,
    statements,
    dialect,
    inTransaction: true,
    atomic,
  } as const;
  if (atomic) {
    const attempt = (connection: Connection, oneByOne: boolean): Promise<SavedPart> =>
      saveOn({ ...common, connection, oneByOne }, prepared, entities, values, 0);
    return [await explainingTheEnd(inScope(true, database, attempt), common)];
  }
  const attempt: SavePiece = (piece, first) =>
    database.transaction(
      (connection) =>
        saveOn({ ...common, connection, oneByOne: false }, prepared, piece, values, first),
      unattended,
    );
  return saveInPieces(entities, attempt, dataclass, model);
}

/**
 * Runs the writes of a request: on the database itself where each stands alone; in one transaction where they are atomic, which
 * is tried again as a whole when it was the victim of a deadlock, and one by one when several were refused together.
 */
export async function inScope<Result>(
  atomic: boolean,
  database: Database,
  attempt: (connection: Connection, oneByOne: boolean) => Promise<Result>,
): Promise<Result> {
  if (!atomic) {
    const run: Connection['run'] = (command, options) =>
      database.run(command, { ...options, fresh: true });
    return attempt({ ...database, run }, false);
  }
  const transaction = (oneByOne: boolean): Promise<Result> =>
    retryingDeadlocks(() =>
      database.transaction((connection) => attempt(connection, oneByOne), unattended),
    );
  try {
    return await transaction(false);
  } catch (error) {
    if (!(error instanceof BatchRefused)) throw error;
    return transaction(true);
  }
}

/**
 * What a client is told of an atomic request that the database refused at its end: a constraint that is checked no sooner.
 * Nobody knows which element it was.
 */
export async function explainingTheEnd<Result>(
  work: Promise<Result>,
  { dataclass, model, kind }: Pick<WriteParts, 'dataclass' | 'model' | 'kind'>,
): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof DatabaseRefusal)) throw error;
    const explained = explainRefusal(
      error,
      dataclass,
      model,
      kind === 'save' ? 'update' : 'delete',
    );
    throw explained.leadingTo(nothingDone(kind));
  }
}

/** @param first the index of the first of the entities in the body */
async function saveOn(
  parts: WriteParts,
  prepared: PreparedSave,
  entities: readonly ReadEntity[],
  values: readonly Literal[],
  first: number,
): Promise<SavedPart> {
  const run = new SaveRun(parts, prepared.plan.target?.attributes ?? parts.dataclass.key);
  await run.save(entities);
  const indexes = entities.map((_, at) => first + at);
  const wanted = indexes.flatMap((index) => {
    const key = run.keys.get(index);
    return key === undefined ? [] : [{ index, key }];
  });
  const { answer, globalStamp, plan } = prepared;
  const keys = wanted.map(({ key }) => key);
  const { fetched, rowOf } = await fetchByKeys(answer, keys, values, run.readSource);
  const rows = new Map(wanted.map(({ index }, at) => [index, rowOf[at] ?? -1]));
  const stampOf = (index: number): string | null | undefined => {
    const row = fetched.rows[rows.get(index) ?? -1];
    if (row !== undefined) return cellText(answer.statement, row, answer.shape.stamp);
    return plan.filtered ? undefined : null;
  };
  run.checkUnchanged(stampOf);
  run.checkKept(stampOf);
  const stampRow =
    fetched.rows[0]?.[plan.globalStampColumn] ??
    (await runQuery(globalStamp, {}, run.readSource))[0]?.[0];
  const outcome = (index: number, entity: ReadEntity): SaveOutcome => {
    const row = rows.get(index) ?? -1;
    const key = run.keys.get(index) ?? null;
    const failure = run.failures.get(index);
    // An entity that could not be saved is named by the key that the body gave it.
    const named = parts.unique === null ? entity.key : null;
    if (failure !== undefined) return { failure, key: key ?? named, row };
    const missed = run.missed.get(index);
    return {
      failure: missed === undefined ? null : missedFailure(missed, key, row, plan),
      key,
      row,
    };
  };
  return {
    fetched,
    globalStamp: String(stampRow),
    outcomes: entities.map((entity, at) => outcome(first + at, entity)),
  };
}

/** What became of a row that the statement did not find as it was read: gone by now, changed by somebody else, or kept. */
function missedFailure(
  missed: 'stamped' | 'unstamped',
  key: KeyTexts | null,
  row: number,
  { dataclass, filtered }: SavePlan,
): Failure {
  if (row < 0 && !filtered) return { error: noEntity(key, dataclass), stampChanged: false };
  return missed === 'stamped'
    ? { error: stampChanged('update', key, dataclass), stampChanged: true }
    : { error: notChanged('update', key, dataclass), stampChanged: false };
}
