import { ProtocolError } from '../base/errors.ts';
import { DatabaseRefusal } from '../database/violation.ts';
import type { Dataclass, Model } from '../model/types.ts';
import { explainRefusal } from '../values/violation.ts';
import { retryingDeadlocks } from './retry.ts';
import type { ReadEntity, SavedPart } from './save.ts';
import { consequence, isGone, notTried, withConsequence } from './write-errors.ts';
import { BatchRefused } from './write-run.ts';

/**
 * Saves some entities of a body in one transaction.
 * @param first the index of the first of them in the body
 */
export type SavePiece = (entities: readonly ReadEntity[], first: number) => Promise<SavedPart>;

/**
 * Saves entities of which each stands or falls alone: all in one transaction where all is well. Where the database refuses it,
 * each half goes in by one of its own, and so on down to the entities that are wrong.
 * @throws ProtocolError where nothing was saved because the database was lost, took too long or gave all up
 */
export async function saveInPieces(
  entities: readonly ReadEntity[],
  save: SavePiece,
  dataclass: Dataclass,
  model: Model,
): Promise<readonly SavedPart[]> {
  let gone: ProtocolError | null = null;
  const attempt = async (piece: readonly ReadEntity[], first: number): Promise<SavedPart[]> => {
    try {
      if (gone !== null) throw gone;
      return [await retryingDeadlocks(() => save(piece, first))];
    } catch (error) {
      const refusal = refused(error, piece, dataclass, model);
      if (refusal === null) throw error;
      if (piece.length > 1 && isDivisible(error)) {
        const middle = piece.length >> 1;
        const before = await attempt(piece.slice(0, middle), first);
        return [...before, ...(await attempt(piece.slice(middle), first + middle))];
      }
      const isExplained = error instanceof BatchRefused || error instanceof DatabaseRefusal;
      if (piece.length === entities.length && !isExplained) throw error;
      if (isGone(refusal)) gone ??= notTried(refusal);
      return [failedPart(piece, refusal, isExplained, dataclass)];
    }
  };
  return attempt(entities, 0);
}

/** Why a transaction came to nothing; null for what is no answer to a client. */
function refused(
  error: unknown,
  [first]: readonly ReadEntity[],
  dataclass: Dataclass,
  model: Model,
): ProtocolError | null {
  if (error instanceof BatchRefused) return error.explained;
  // A constraint that is checked no sooner than at the commit.
  if (error instanceof DatabaseRefusal) {
    const kind = kindOf(first);
    return explainRefusal(error, dataclass, model, kind).leadingTo(
      consequence(kind, keyOf(first), dataclass),
    );
  }
  return error instanceof ProtocolError ? error : null;
}

/** Whether less of it may succeed. What took too long is not tried in parts: they would take their time, too. */
function isDivisible(error: unknown): boolean {
  if (!(error instanceof ProtocolError)) return true;
  return !isGone(error) && error.errorName !== 'statementTimeout';
}

function failedPart(
  entities: readonly ReadEntity[],
  error: ProtocolError,
  isExplained: boolean,
  dataclass: Dataclass,
): SavedPart {
  return {
    fetched: { rows: [], children: [] },
    globalStamp: '0',
    outcomes: entities.map((entity) => {
      const key = keyOf(entity);
      const own =
        'error' in entity
          ? entity.error
          : isExplained
            ? error
            : withConsequence(error, kindOf(entity), key, dataclass);
      return { failure: { error: own, stampChanged: false }, key, row: -1 };
    }),
  };
}

function keyOf(entity: ReadEntity | undefined): readonly string[] | null {
  return entity?.key ?? null;
}

function kindOf(entity: ReadEntity | undefined): 'create' | 'update' {
  return keyOf(entity) === null ? 'create' : 'update';
}
