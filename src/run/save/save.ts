import { ProtocolError } from '../../base/errors.ts';
import { ADMIN } from '../../base/principal.ts';
import type { SavePlan } from '../../plan/write/save.ts';
import type { Literal } from '../../protocol/ast.ts';
import type { PlannedEntity, RefusedEntity } from '../convert/types.ts';
import { bindStatement, readingFrom, type Execution } from '../run.ts';
import type { Attempt, WriteContext } from '../write/attempt.ts';
import { isFailed, type Failed, type OrFailed } from '../write/outcome.ts';
import {
  allOrNone,
  dryRun,
  rollingBack,
  writeAllOrNone,
  writeIndependently,
} from '../write/transactions.ts';
import { TakenKey } from '../write/taken-key.ts';
import { isCompound } from '../write/units.ts';
import { WriteReport } from '../write/write-report.ts';
import { BodyNames } from './body-names.ts';
import { answerTrees, plainAnswer, withCurrentRows, type SaveResult } from './save-answer.ts';
import { readStale } from './save-elements.ts';
import { saveTrees, type PlanNode, type SavedTree } from './save-trees.ts';
import { directUpdate } from './update-directly.ts';

/** An object of the body as it was read: an entity to save, or why it is refused. */
type ReadEntity = PlannedEntity | RefusedEntity;

/** Saves the entities of a body, and those within them. With `$atomic` all are saved or none (§4.13); otherwise each stands or falls alone. */
export async function runSave(
  planNode: PlanNode,
  entities: readonly ReadEntity[],
  values: readonly Literal[],
  execution: Execution,
): Promise<SaveResult> {
  const { plan } = planNode;
  const { dataclass, target, atomic, naturalKey } = plan;
  const { related } = plan.answer;
  const unique = target?.unique ?? null;
  const context: WriteContext = {
    kind: 'save',
    dataclass,
    model: execution.model,
    attributes: target?.attributes ?? dataclass.key,
    unique,
    isInBody: true,
    atomic,
    showsColumns: execution.activity.principal.roles.includes(ADMIN),
    report: plan.dryRun ? null : WriteReport.of(execution, { kind: 'save', dataclass, unique }),
    ...namedBy(entities, plan),
    ...(naturalKey === null ? {} : { takenKey: new TakenKey(naturalKey) }),
  };
  // A filter that cannot be answered is refused before anything is saved.
  const { database, activity } = execution;
  if (related !== null) {
    bindStatement(related, { values }, database.dialect, activity.principal.claims);
  }
  const source = readingFrom(execution, { fresh: true });
  if (plan.dryRun) {
    const result = await dryRunSave(planNode, entities, values, context, rollingBack(execution));
    return withCurrentRows(planNode, result, source);
  }
  const direct = await directUpdate(plan, entities, context, execution);
  const work = (some: readonly ReadEntity[], attempt: Attempt): Promise<readonly SavedTree[]> =>
    saveTrees(some, planNode, attempt);
  const saved: readonly OrFailed<SavedTree>[] = atomic
    ? await writeAllOrNone(
        entities,
        context,
        execution,
        (attempt) => work(entities, attempt),
        direct,
      )
    : await writeIndependently(entities, context, execution, work, direct);
  const trees = saved.map((one, at) => withOwnKey(savedTree(one), entities[at], unique));
  await readStale(trees, plan, source).catch((error: unknown) => {
    // The others are saved: a client that got an error would save them twice.
    if (!(error instanceof ProtocolError)) throw error;
  });
  return plainAnswer(plan, trees) ?? answerTrees(planNode, trees, values, source);
}

/** The rows that a body names which nests entities or finds them by a natural key. */
function namedBy(
  entities: readonly ReadEntity[],
  { dataclass, target, naturalKey, dryRun }: SavePlan,
): Pick<WriteContext, 'body'> {
  const planned = entities.filter((entity): entity is PlannedEntity => 'nested' in entity);
  if (naturalKey === null && !planned.some(isCompound)) return {};
  // The value of a unique attribute in the URL is not a key.
  const keyed =
    (target?.unique ?? null) === null
      ? planned
      : planned.map((entity) => ({ ...entity, key: entity.ownKey }));
  return { body: new BodyNames(keyed, dataclass, !dryRun) };
}

/** Saves entities, and reads their whole answer, in a transaction that is rolled back (DECISIONS, "Updates"). */
async function dryRunSave(
  planNode: PlanNode,
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
    const saved = [...(await saveTrees(some, planNode, attempt)), ...refused]
      .sort((a, b) => a.index - b.index)
      .map((one, at) => withOwnKey(savedTree(one), entities[at], context.unique));
    return answerTrees(planNode, saved, values, attempt.source);
  };
  return context.atomic
    ? allOrNone(context, execution, (attempt) => work(entities, [], attempt))
    : dryRun(entities, context, execution, work);
}

function savedTree(saved: OrFailed<SavedTree>): SavedTree {
  if (!isFailed(saved)) return saved;
  const { index, key, failure, row = null } = saved;
  return { index, key, failure, row, change: null, isWritten: false, below: [] };
}

/** Takes away the key of an entity that was not found by a unique attribute of the URL: it is not known. */
function withOwnKey(
  saved: SavedTree,
  entity: ReadEntity | undefined,
  unique: string | null,
): SavedTree {
  const isAddress = unique !== null && saved.key !== null && saved.key === entity?.key;
  return isAddress ? { ...saved, key: null } : saved;
}
