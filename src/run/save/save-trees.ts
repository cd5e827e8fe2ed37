import { addTo } from '../../base/collections.ts';
import type { Relation } from '../../model/types.ts';
import type { PlannedEntity, RefusedEntity } from '../convert/types.ts';
import { type Attempt, Refused } from '../write/attempt.ts';
import {
  attemptBelow,
  listsByRelation,
  nestedIn,
  type NestedList,
} from './nested/nested-attempt.ts';
import { type Link, ownedList, withLinks, withValues } from './nested/nested-links.ts';
import type { Outcome } from '../write/outcome.ts';
import type { PrintedSave } from './print-save.ts';
import { deleteReplaced } from './nested/delete-replaced.ts';
import { asTheyAre, type SavedElement, saveElements } from './save-elements.ts';
import type { WriteReport } from '../write/write-report.ts';
import { rowCount, writeBatches } from './rows/batches.ts';

/** What is printed of a save at one place of its bodies, and of the places below it, by their relations. */
export interface SavePlace {
  readonly printed: PrintedSave;
  readonly below: (relation: string) => SavePlace;
}

/** How the save of one entity ended, and that of the entities within it. */
export interface SavedTree extends SavedElement {
  readonly below: readonly SavedBelow[];
}

/** What was saved by way of one relation of an entity, in the order of the body, and what was deleted. */
export interface SavedBelow {
  readonly relation: Relation;
  readonly elements: readonly SavedTree[];
  readonly deleted: readonly Outcome[];
  readonly report: WriteReport | null;
}

/** The entities of one place of all bodies, saved, but for those within them. */
interface Level {
  readonly place: SavePlace;
  readonly attempt: Attempt;
  readonly elements: readonly SavedElement[];
  /** What is saved by way of their relations, by their indexes. */
  readonly below: ReadonlyMap<number, readonly LevelBelow[]>;
  /** How many times there had been written when they were read. */
  readonly readAt: number;
}

/** The part of a level that stands below one entity. */
interface LevelBelow extends Omit<SavedBelow, 'elements'> {
  readonly level: Level | null;
  /** The indexes of its elements. */
  readonly from: number;
  readonly end: number;
}

/** What the levels of one attempt share. */
interface Progress {
  /** How many times there has been written. */
  writes: number;
}

/** What is known of what stands below entities while they are saved, by their indexes. */
type Below = Map<number, LevelBelow[]>;

/**
 * Saves entities and those within them, in one transaction: the new ones that relations to one lead to ahead of the entity itself, those of
 * lists behind it. All of one place of the bodies go together, so that the number of statements does not grow with theirs.
 * @throws as {@link saveElements}, and Refused of the entities that failed with others saved ahead of them
 */
export async function saveTrees(
  entities: readonly (PlannedEntity | RefusedEntity)[],
  place: SavePlace,
  attempt: Attempt,
): Promise<SavedTree[]> {
  const progress: Progress = { writes: 0 };
  const level = await saveLevel(entities, place, attempt, progress);
  return treesOf(level, progress);
}

async function saveLevel(
  entities: readonly (PlannedEntity | RefusedEntity)[],
  place: SavePlace,
  attempt: Attempt,
  progress: Progress,
): Promise<Level> {
  const below: Below = new Map();
  const owners = entities.filter((entity): entity is PlannedEntity => 'nested' in entity);
  const links = await saveAhead(owners, place, attempt, progress, below);
  const led = entities.map((entity) =>
    'error' in entity ? entity : withLinks(entity, links.get(entity.index) ?? [], attempt),
  );
  const elements = await saveElements(led, place.printed, attempt);
  refuseLost(elements.filter(({ failure, index }) => failure !== null && links.has(index)));
  if (elements.some(({ isWritten }) => isWritten)) progress.writes += 1;
  const readAt = progress.writes;
  await saveLists(owners, elements, place, attempt, progress, below);
  const now = await touchHolders(elements, changedLists(below), attempt);
  if (now !== elements) progress.writes += 1;
  return { place, attempt, elements: now, below, readAt };
}

/** Which entities have lists that are not what they were. */
function changedLists(below: Below): ReadonlySet<number> {
  const isChanged = ({ relation, deleted, level, from, end }: LevelBelow): boolean =>
    relation.kind === 'relatedEntities' &&
    (deleted.length > 0 ||
      level?.elements.slice(from, end).some(({ isWritten }) => isWritten) === true);
  return new Set([...below].filter(([, parts]) => parts.some(isChanged)).map(([index]) => index));
}

/** Saves the new entities that relations to one of some entities lead to. @returns where those lead, by their indexes */
async function saveAhead(
  owners: readonly PlannedEntity[],
  place: SavePlace,
  attempt: Attempt,
  progress: Progress,
  below: Below,
): Promise<ReadonlyMap<number, readonly Link[]>> {
  const links = new Map<number, Link[]>();
  for (const [relation, lists] of listsByRelation(owners, 'relatedEntity')) {
    const nested = nestedIn(lists);
    const target = place.below(relation.name);
    const inner = attemptBelow(relation, nested, target.printed.statements, attempt);
    const level = await saveLevel(inOneList(lists), target, inner, progress);
    for (const [at, { owner }] of nested.entries()) {
      addTo(links, owner.index, { relation, key: level.elements[at]?.key ?? null });
      const { report } = inner;
      addTo(below, owner.index, { relation, report, deleted: [], level, from: at, end: at + 1 });
    }
  }
  return links;
}

/** Nobody wants the new entities that were saved ahead of those that failed. */
function refuseLost(lost: readonly SavedElement[]): void {
  const refused = lost.flatMap(({ index, key, failure, row }) =>
    failure === null ? [] : [{ kind: 'failed', index, key, failure, row } as const],
  );
  const [first] = refused;
  if (first !== undefined) throw new Refused(first.failure.error, refused);
}

/** Saves the lists of entities that were saved themselves, and deletes what those that replace all do not name. */
async function saveLists(
  owners: readonly PlannedEntity[],
  elements: readonly SavedElement[],
  place: SavePlace,
  attempt: Attempt,
  progress: Progress,
  below: Below,
): Promise<void> {
  const savedBy = new Map(elements.map((element) => [element.index, element]));
  const saved = owners.filter(({ index }) => savedBy.get(index)?.failure === null);
  for (const [relation, lists] of listsByRelation(saved, 'relatedEntities')) {
    const nested = nestedIn(lists);
    const isReplaced = place.printed.plan.replaced.has(relation);
    const target = place.below(relation.name);
    const inner = attemptBelow(relation, nested, target.printed.statements, attempt);
    const keys = lists.map(({ owner }) => savedBy.get(owner.index)?.key ?? null);
    const isNeeded = isReplaced || nested.length > 0;
    const owned = isNeeded ? await withValues(relation, lists, keys, attempt) : [];
    const deleted = isReplaced
      ? await deleteReplaced(relation, owned, attempt, inner)
      : new Map<number, readonly Outcome[]>();
    if (deleted.size > 0) progress.writes += 1;
    const given = inOneList(owned.map(ownedList));
    const level = given.length === 0 ? null : await saveLevel(given, target, inner, progress);
    let from = 0;
    for (const { owner, entities } of lists) {
      const end = from + entities.length;
      addTo(below, owner.index, {
        relation,
        report: inner.report,
        deleted: deleted.get(owner.index) ?? [],
        level,
        from,
        end,
      });
      from = end;
    }
  }
}

/** The entities of several lists as those of one: their indexes tell them apart. */
function inOneList(lists: readonly NestedList[]): PlannedEntity[] {
  return nestedIn(lists).map(({ entity }, index) => ({ ...entity, index }));
}

/**
 * The entities of a level with those within them, as they are by now: what was written later may have changed what was read
 * before, its stamp as well, where a trigger adds up a total.
 */
async function treesOf(
  { place, attempt, elements, below, readAt }: Level,
  progress: Progress,
): Promise<SavedTree[]> {
  const isLatest = readAt === progress.writes;
  const latest = isLatest ? elements : await asTheyAre(elements, place.printed, attempt);
  const trees = new Map<Level, readonly SavedTree[]>();
  for (const { level } of [...below.values()].flat()) {
    if (level !== null && !trees.has(level)) trees.set(level, await treesOf(level, progress));
  }
  return latest.map((element) => ({
    below: (below.get(element.index) ?? []).map(({ level, from, end, ...rest }) => ({
      elements: level === null ? [] : (trees.get(level)?.slice(from, end) ?? []),
      ...rest,
    })),
    ...element,
  }));
}

/**
 * Gives entities whose lists have changed another stamp, so that whoever read them with those lists before cannot replace the lists unseen. Those are left as
 * they are that whoever asks may not change, and those whose stamp is made of what they hold.
 * @returns the elements, written where they have another stamp
 * @throws Refused, or ProtocolError of an attempt at all or none
 */
async function touchHolders(
  elements: readonly SavedElement[],
  changed: ReadonlySet<number>,
  attempt: Attempt,
): Promise<readonly SavedElement[]> {
  const { dataclass, statements, source } = attempt;
  const owners = elements.filter(
    ({ index, key, isWritten }) => changed.has(index) && !isWritten && key !== null,
  );
  const mayWrite = !dataclass.readOnly && dataclass.rights.update !== 'denied';
  if (owners.length === 0 || !mayWrite || statements.touch('one') === null) return elements;
  const items = owners.map((element) => ({ element }));
  await writeBatches([items], 'update', attempt, async (some) => {
    const statement = statements.touch(rowCount(some));
    if (statement === null) return [];
    await source.run(statement, { rows: some.map(({ element: { key } }) => key ?? []) });
    return [];
  });
  const indexes = new Set(owners.map(({ index }) => index));
  return elements.map((element) =>
    indexes.has(element.index) ? { ...element, isWritten: true } : element,
  );
}
