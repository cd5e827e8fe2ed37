import type { Literal } from '../request/ast.ts';
import type { PlannedEntity, RefusedEntity } from '../values/types.ts';
import { allOfIt, allOrNone } from './all-or-none.ts';
import type { Attempt, WriteContext } from './attempt.ts';
import { rehearse, undoing } from './dry-run.ts';
import { eachAlone } from './each-alone.ts';
import { isFailed, type Failed, type Step } from './outcome.ts';
import type { PrintedSave } from './print-save.ts';
import { bindStatement, readingFrom, type Execution } from './run.ts';
import { answerSaved, type SaveResult } from './save-answer.ts';
import { saveElements, type SavedElement } from './save-elements.ts';
import { WriteReport } from './write-report.ts';

/** An object of the body as far as it could be read: an entity to save, or why it is none. */
export type ReadEntity = PlannedEntity | RefusedEntity;

/**
 * Saves the entities of a body. With `$atomic` all are saved or none (§4.13); without it each stands or falls alone.
 * @throws ProtocolError of an atomic request that failed, naming the element; what the database throws
 */
export async function runSave(
  printed: PrintedSave,
  entities: readonly ReadEntity[],
  values: readonly Literal[],
  execution: Execution,
): Promise<SaveResult> {
  const { plan, statements, related } = printed;
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
    report: plan.refresh ? null : WriteReport.of(execution, { kind: 'save', dataclass, unique }),
  };
  // What a client asks for and cannot be answered is refused before anything is saved.
  const { database, activity } = execution;
  if (related !== null) {
    bindStatement(related, { values }, database.dialect, activity.principal.claims);
  }
  if (plan.refresh) return rehearseSave(printed, entities, values, context, undoing(execution));
  const saved = atomic
    ? await allOfIt(entities, context, execution, (attempt) =>
        saveElements(entities, printed, attempt),
      )
    : await eachAlone(entities, context, execution, (some, attempt) =>
        saveElements(some, printed, attempt),
      );
  const elements = saved.map((step, at) => withOwnKey(savedElement(step), entities[at], unique));
  return answerSaved(printed, elements, values, readingFrom(execution, true));
}

/** A dry run: entities are saved, and all that is told of them is read, in a transaction that is rolled back (DECISIONS, "Updates"). */
async function rehearseSave(
  printed: PrintedSave,
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
    const steps = [...(await saveElements(some, printed, attempt)), ...refused];
    const saved = steps
      .sort((a, b) => a.index - b.index)
      .map((step, at) => withOwnKey(savedElement(step), entities[at], context.unique));
    return answerSaved(printed, saved, values, attempt.source);
  };
  return context.atomic
    ? allOrNone(context, execution, (attempt) => work(entities, [], attempt))
    : rehearse(entities, context, execution, work);
}

function savedElement(step: Step<SavedElement>): SavedElement {
  if (!isFailed(step)) return step;
  const { index, key, failure } = step;
  return { index, key, failure, row: null };
}

/** Of an entity that the URL addresses by a unique attribute and that was not found, the key is not known. */
function withOwnKey(
  saved: SavedElement,
  entity: ReadEntity | undefined,
  unique: string | null,
): SavedElement {
  const isAddress = unique !== null && saved.key !== null && saved.key === entity?.key;
  return isAddress ? { ...saved, key: null } : saved;
}
