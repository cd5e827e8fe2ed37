import { addTo, zip } from '../../base/collections.ts';
import { mapInSlices } from '../../base/time.ts';
import { mayChange } from '../../model/types.ts';
import type { SavePlan } from '../../plan/write/save.ts';
import type { PlannedEntity, ReadEntity } from '../convert/types.ts';
import { type Attempt, Refused } from '../write/attempt.ts';
import { type Below, isFailed, isWritten, type Outcome } from '../write/outcome.ts';
import { inBodyOrder, savedIds } from '../write/units.ts';
import type { BodyNames } from './body-names.ts';
import {
  attemptBelow,
  deleteReplaced,
  listsByRelation,
  type NestedList,
  ownedLists,
  withLinks,
} from './nested.ts';
import { saveByNaturalKey } from './natural-keys.ts';
import { rowCount, writeBatches } from './rows/current-rows.ts';
import { readLater, saveElements } from './save-elements.ts';

/** The plan for the entities at one path of the bodies, and those for the paths below, by their relations. */
export interface PlanNode {
  readonly plan: SavePlan;
  readonly below: (relation: string) => PlanNode;
}

/** The entities at one path of all bodies, saved. */
interface Level {
  readonly planNode: PlanNode;
  readonly attempt: Attempt;
  readonly elements: readonly Outcome[];
  /** How many writes there had been when they were read. */
  readonly readAt: number;
}

/** The progress of one attempt. */
interface Progress {
  /** How many times rows have been written. */
  writes: number;
  readonly levels: Level[];
}

/** Saves entities and those within them in one transaction, all at one path together: new ones of relations to one first, those of lists last. */
export async function saveTrees(
  entities: readonly ReadEntity[],
  planNode: PlanNode,
  attempt: Attempt,
): Promise<readonly Outcome[]> {
  const progress: Progress = { writes: 0, levels: [] };
  attempt.body?.begin(entities);
  const { takenKey } = attempt;
  const save = (some: typeof entities): Promise<readonly Outcome[]> =>
    saveLevel(some, planNode, attempt, progress);
  const trees =
    takenKey === undefined
      ? await save(entities)
      : await saveByNaturalKey(takenKey, entities, attempt, save);
  // What was kept for them would stay where it is.
  refuseLost(trees.filter(({ index }) => attempt.body?.relied.has(index)));
  // Later writes may have changed rows that were read before, and their stamps, where a trigger adds up a total.
  for (const { readAt, elements, planNode: at, attempt: own } of progress.levels.toReversed()) {
    if (readAt < progress.writes) await readLater(elements, at.plan, own);
  }
  return trees;
}

/** Saves the entities at one path; what an object has changed, with all within it, is read anew for a later one that saves it again. */
async function saveLevel(
  entities: readonly ReadEntity[],
  planNode: PlanNode,
  attempt: Attempt,
  progress: Progress,
): Promise<readonly Outcome[]> {
  const trees: Outcome[] = [];
  for (const some of await inTurns(entities, attempt)) {
    for (const tree of await saveTurn(some, planNode, attempt, progress)) trees.push(tree);
  }
  return trees.sort(inBodyOrder);
}

/** Splits entities so that an object is of a later turn than those before it that save one of its entities. */
async function inTurns(
  entities: readonly ReadEntity[],
  { dataclass, body }: Attempt,
): Promise<(readonly ReadEntity[])[]> {
  if (body === undefined) return [entities];
  const turns: ReadEntity[][] = [];
  const next = new Map<string, number>();
  await mapInSlices(entities, (entity) => {
    const ids = savedIds(entity, dataclass);
    const turn = ids.reduce((latest, id) => Math.max(latest, next.get(id) ?? 0), 0);
    (turns[turn] ??= []).push(entity);
    for (const id of ids) next.set(id, turn + 1);
  });
  return turns;
}

async function saveTurn(
  entities: readonly ReadEntity[],
  planNode: PlanNode,
  attempt: Attempt,
  progress: Progress,
): Promise<readonly Outcome[]> {
  const owners = entities.filter((entity): entity is PlannedEntity => 'nested' in entity);
  const ahead = await saveAhead(owners, planNode, attempt, progress);
  const linked = entities.map((entity) => {
    if ('error' in entity) return entity;
    const links = (ahead.get(entity.index) ?? []).map(({ relation, elements: [saved] }) => ({
      relation,
      key: saved?.key ?? null,
    }));
    return withLinks(entity, links, attempt);
  });
  const unfinished = isFiltered(planNode.plan) ? newWithLists(owners) : new Set<number>();
  const elements = await saveElements(linked, unfinished, planNode.plan, attempt);
  refuseLost(elements.filter(({ index }) => ahead.has(index)));
  if (attempt.body !== undefined) notePlaces(linked, elements, attempt.body, attempt);
  if (elements.some(isWritten)) progress.writes += 1;
  for (const element of elements) element.below = ahead.get(element.index) ?? element.below;
  let { writes: readAt } = progress;
  await saveLists(owners, elements, planNode, attempt, progress);
  if (await touchHolders(elements, attempt)) progress.writes += 1;
  if (unfinished.size > 0) {
    await readLater(elements, planNode.plan, attempt);
    ({ writes: readAt } = progress);
  }
  progress.levels.push({ planNode, attempt, elements, readAt });
  return elements;
}

/** Notes where a body has placed the entities that were saved, and which elements of it were not. */
function notePlaces(
  entities: readonly ReadEntity[],
  elements: readonly Outcome[],
  body: BodyNames,
  { dataclass, nested }: Attempt,
): void {
  for (const [entity, element] of zip(entities, elements)) {
    if ('error' in entity || element.failure !== null || element.key === null) continue;
    body.place(entity, element.key, dataclass, nested?.locate(element.index).root ?? element);
  }
  if (nested === undefined) body.refuse(elements.filter(({ failure }) => failure !== null));
}

/** Whether a new entity has to meet a filter. */
function isFiltered({ answer: { inside, permitted } }: SavePlan): boolean {
  return inside !== null || permitted.create !== null;
}

/** The indexes of new entities that have lists to be saved. */
function newWithLists(owners: readonly PlannedEntity[]): Set<number> {
  const added = owners.filter(({ key }) => key === null);
  const lists = listsByRelation(added, 'relatedEntities');
  return new Set([...lists.values()].flat().map(({ owner }) => owner.index));
}

/** Saves the new entities of relations to one. @returns them by the indexes of the entities that they are within */
async function saveAhead(
  owners: readonly PlannedEntity[],
  planNode: PlanNode,
  attempt: Attempt,
  progress: Progress,
): Promise<ReadonlyMap<number, Below[]>> {
  const ahead = new Map<number, Below[]>();
  for (const [relation, lists] of listsByRelation(owners, 'relatedEntity')) {
    const target = planNode.below(relation.name);
    const inner = attemptBelow(relation, lists, attempt);
    const saved = await saveLevel(inOneList(lists), target, inner, progress);
    const { report } = inner;
    for (const [owner, elements] of sharesOf(lists, saved)) {
      addTo(ahead, owner.index, { relation, report, deleted: [], elements });
    }
  }
  return ahead;
}

/** Refuses entities that failed: the new entities that were saved ahead of them are rolled back. */
function refuseLost(elements: readonly Outcome[]): void {
  const refused = elements.filter(isFailed);
  const [first] = refused;
  if (first !== undefined) throw new Refused(first.failure.error, refused);
}

/** Saves the lists of entities that were saved themselves, and deletes what lists that replace all do not name. */
async function saveLists(
  owners: readonly PlannedEntity[],
  trees: readonly Outcome[],
  planNode: PlanNode,
  attempt: Attempt,
  progress: Progress,
): Promise<void> {
  const treeOf = new Map(trees.map((tree) => [tree.index, tree]));
  const saved = owners.filter(({ index }) => treeOf.get(index)?.failure === null);
  for (const [relation, lists] of listsByRelation(saved, 'relatedEntities')) {
    const target = planNode.below(relation.name);
    const inner = attemptBelow(relation, lists, attempt);
    const isReplaced = planNode.plan.replaced.has(relation);
    const keys = lists.map(({ owner }) => treeOf.get(owner.index)?.key ?? null);
    const isNeeded = isReplaced || lists.some(({ entities }) => entities.length > 0);
    const owned = isNeeded ? await ownedLists(relation, lists, keys, attempt) : [];
    const deleted = isReplaced ? await deleteReplaced(relation, owned, attempt, inner) : null;
    if (deleted !== null && deleted.size > 0) progress.writes += 1;
    const entities = inOneList(
      owned.map(({ values, ...list }) => ({
        ...list,
        entities: list.entities.map((one) => ({ ...one, given: one.given.followedBy(values) })),
      })),
    );
    const elements =
      entities.length === 0 ? [] : await saveLevel(entities, target, inner, progress);
    const { report } = inner;
    for (const [{ index }, share] of sharesOf(lists, elements)) {
      const tree = treeOf.get(index);
      const below = { relation, report, deleted: deleted?.get(index) ?? [], elements: share };
      if (tree !== undefined) tree.below = [...tree.below, below];
    }
  }
}

/** The entities of several lists as one list, with their indexes in it. */
function inOneList(lists: readonly NestedList[]): PlannedEntity[] {
  return lists
    .flatMap(({ entities }) => entities)
    .map((entity, index): PlannedEntity => ({ ...entity, index }));
}

/** The owners of lists, each with its share of what was saved of {@link inOneList}. */
function sharesOf(
  lists: readonly NestedList[],
  saved: readonly Outcome[],
): (readonly [owner: PlannedEntity, share: readonly Outcome[]])[] {
  let end = 0;
  return lists.map(({ owner, entities }) => {
    end += entities.length;
    return [owner, saved.slice(end - entities.length, end)];
  });
}

/**
 * Gives entities whose lists have changed another stamp, so that a client that read the old lists cannot replace them unseen; returns whether any
 * got one. Entities that the user may not change, and those whose stamp is made of their values, stay as they are.
 */
async function touchHolders(trees: readonly Outcome[], attempt: Attempt): Promise<boolean> {
  const { dataclass, statements, source } = attempt;
  const holders = trees.filter(
    (element) => !isWritten(element) && element.key !== null && element.below.some(isChanged),
  );
  if (!mayChange(dataclass, 'update')) return false;
  if (holders.length === 0 || statements.touch(dataclass, 'one') === null) return false;
  await writeBatches([holders], 'update', attempt, async (some) => {
    const statement = statements.touch(dataclass, rowCount(some));
    if (statement !== null) await source.run(statement, { rows: some.map(({ key }) => key ?? []) });
  });
  for (const holder of holders) holder.kind = 'touched';
  return true;
}

function isChanged({ relation, deleted, elements }: Below): boolean {
  return relation.kind === 'relatedEntities' && (deleted.length > 0 || elements.some(isWritten));
}
