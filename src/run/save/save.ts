import type { Dataclass } from '../../model/types.ts';
import type { Literal } from '../../protocol/ast.ts';
import type { PlannedEntity, RefusedEntity } from '../convert/types.ts';
import { allOfIt, allOrNone } from '../write/all-or-none.ts';
import type { Attempt, WriteContext } from '../write/attempt.ts';
import { directUpdate } from './direct-update.ts';
import { dryRun, rollingBack } from './dry-run.ts';
import { writeIndependently, isCompound } from '../write/write-independently.ts';
import { keysNamed, type NamedKeys } from './rows/named-keys.ts';
import { isFailed, type Failed, type Step } from '../write/outcome.ts';
import { bindStatement, readingFrom, type Execution } from '../run.ts';
import { answerTrees, plainAnswer, withCurrentRows, type SaveResult } from './save-answer.ts';
import { saveTrees, type SavePlace, type SavedTree } from './save-trees.ts';
import { WriteReport } from '../write/write-report.ts';

/** An object of the body as far as it could be read: an entity to save, or why it is none. */
export type ReadEntity = PlannedEntity | RefusedEntity;

/**
 * Saves the entities of a body, and those within them. With `$atomic` all are saved or none (§4.13); without it each stands or falls alone.
 * @throws ProtocolError of an atomic request that failed, naming the element; what the database throws
 */
export async function runSave(
  place: SavePlace,
  entities: readonly ReadEntity[],
  values: readonly Literal[],
  execution: Execution,
): Promise<SaveResult> {
  const { plan, statements, related } = place.printed;
  const { dataclass, target, atomic } = plan;
  const unique = target?.unique ?? null;
  const context: WriteContext = {
    kind: 'save',
    dataclass,
    model: execution.model,
    statements,
    attributes: target?.attributes ?? dataclass.key,
    unique,
    isInBody: true,
    atomic,
    report: plan.dryRun ? null : WriteReport.of(execution, { kind: 'save', dataclass, unique }),
    ...namedBy(entities, dataclass, unique),
  };
  // What a client asks for and cannot be answered is refused before anything is saved.
  const { database, activity } = execution;
  if (related !== null) {
    bindStatement(related, { values }, database.dialect, activity.principal.claims);
  }
  if (plan.dryRun) {
    const result = await dryRunSave(place, entities, values, context, rollingBack(execution));
    return withCurrentRows(place, result, readingFrom(execution, { fresh: true }));
  }
  const direct = directUpdate(place.printed, entities, context, execution);
  const tried = direct === null ? null : firstTried(direct);
  const met = tried === null ? null : await tried.met;
  if (met !== null) {
    const elements = met.map((tree) => withOwnKey(tree, entities[0], unique));
    return (
      plainAnswer(place.printed, elements) ??
      answerTrees(place, elements, values, readingFrom(execution, { fresh: true }))
    );
  }
  const again = tried?.again ?? null;
  const saved = atomic
    ? await allOfIt(
        entities,
        context,
        execution,
        (attempt) => saveTrees(entities, place, attempt),
        again,
      )
    : await writeIndependently(
        entities,
        context,
        execution,
        (some, attempt) => saveTrees(some, place, attempt),
        again,
      );
  const elements = saved.map((step, at) => withOwnKey(savedTree(step), entities[at], unique));
  return answerTrees(place, elements, values, readingFrom(execution, { fresh: true }));
}

/** What does a save by one statement, as {@link directUpdate} has it. */
type Direct = NonNullable<ReturnType<typeof directUpdate>>;

/**
 * Tries it ahead of all that saves otherwise take.
 * @returns what it came to; null where that is found out by `again`, which comes to the same once, also where it failed, and from then on tries it anew
 */
function firstTried(direct: Direct): { met: ReturnType<Direct>; again: Direct } {
  let first: ReturnType<Direct> | null = direct();
  const again: Direct = () => {
    const tried = first ?? direct();
    first = null;
    return tried;
  };
  return { met: first.catch(() => null), again };
}

/** What a body names, worked out when a list is to be all there is; nothing of one that holds no entities within others. */
function namedBy(
  entities: readonly ReadEntity[],
  dataclass: Dataclass,
  unique: string | null,
): Pick<WriteContext, 'named'> {
  const planned = entities.filter((entity): entity is PlannedEntity => 'nested' in entity);
  if (!planned.some(isCompound)) return {};
  let keys: NamedKeys | undefined;
  return {
    named: () =>
      (keys ??= keysNamed(
        // What the URL addresses an entity by is not a key then.
        unique === null ? planned : planned.map((entity) => ({ ...entity, key: entity.ownKey })),
        dataclass,
      )),
  };
}

/** A dry run: entities are saved, and all that is told of them is read, in a transaction that is rolled back (DECISIONS, "Updates"). */
async function dryRunSave(
  place: SavePlace,
  entities: readonly ReadEntity[],
  values: readonly Literal[],
  context: WriteContext,
  execution: Execution,
): Promise<SaveResult> {
  const work = async (
    some: readonly ReadEntity[],
    refused: readonly Failed[],
    attempt: Attempt,
  ): Promise<SaveResult> => {
    const steps = [...(await saveTrees(some, place, attempt)), ...refused];
    const saved = steps
      .sort((a, b) => a.index - b.index)
      .map((step, at) => withOwnKey(savedTree(step), entities[at], context.unique));
    return answerTrees(place, saved, values, attempt.source);
  };
  return context.atomic
    ? allOrNone(context, execution, (attempt) => work(entities, [], attempt))
    : dryRun(entities, context, execution, work);
}

function savedTree(step: Step<SavedTree>): SavedTree {
  if (!isFailed(step)) return step;
  const { index, key, failure, row = null } = step;
  return { index, key, failure, row, isWritten: false, below: [] };
}

/** Of an entity that the URL addresses by a unique attribute and that was not found, the key is not known. */
function withOwnKey(
  saved: SavedTree,
  entity: ReadEntity | undefined,
  unique: string | null,
): SavedTree {
  const isAddress = unique !== null && saved.key !== null && saved.key === entity?.key;
  return isAddress ? { ...saved, key: null } : saved;
}
