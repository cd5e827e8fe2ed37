import { ProtocolError } from '../../base/errors.ts';
import { ADMIN } from '../../base/principal.ts';
import type { SavePlan } from '../../plan/write/save.ts';
import type { Literal } from '../../protocol/ast.ts';
import type { ReadEntity } from '../body/body-entity.ts';
import type { PlannedEntity } from '../convert/types.ts';
import { bindStatement, readingFrom, type Execution } from '../run.ts';
import type { WriteContext } from '../write/attempt.ts';
import type { Outcome } from '../write/outcome.ts';
import { dryRun, writeElements } from '../write/transactions.ts';
import { TakenKey } from '../write/taken-key.ts';
import { inBodyOrder, isCompound } from '../write/units.ts';
import { WriteReport } from '../write/write-report.ts';
import { BodyNames } from './body-names.ts';
import { answerTrees, withCurrentRows, type SaveResult } from './save-answer.ts';
import { readStale } from './save-elements.ts';
import { saveTrees, type PlanNode } from './save-trees.ts';
import { directUpdate } from './update-directly.ts';

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
    const result = await dryRun(entities, context, execution, async (some, refused, attempt) => {
      const saved = [...(await saveTrees(some, planNode, attempt)), ...refused].sort(inBodyOrder);
      return answerTrees(planNode, withOwnKeys(saved, entities, unique), values, attempt.source);
    });
    return withCurrentRows(planNode, result, source);
  }
  const direct = await directUpdate(plan, entities, context, execution);
  const saved = await writeElements(
    entities,
    context,
    execution,
    (some, attempt) => saveTrees(some, planNode, attempt),
    direct,
  );
  const trees = withOwnKeys(saved, entities, unique);
  await readStale(trees, plan, source).catch((error: unknown) => {
    // The others are saved: a client that got an error would save them twice.
    if (!(error instanceof ProtocolError)) throw error;
  });
  return answerTrees(planNode, trees, values, source);
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

/** Takes away the keys of entities that were not found by a unique attribute of the URL: they are not known. */
function withOwnKeys(
  saved: readonly Outcome[],
  entities: readonly ReadEntity[],
  unique: string | null,
): readonly Outcome[] {
  if (unique === null) return saved;
  return saved.map((one, at) => {
    const isAddress = one.key !== null && one.key === entities[at]?.key;
    return isAddress ? { ...one, key: null } : one;
  });
}
