import { addTo } from '../../../base/collections.ts';
import type { Relation } from '../../../model/types.ts';
import { pathBelow } from '../../body/nested.ts';
import type { PlannedEntity } from '../../convert/types.ts';
import type { Attempt, NestedIn, NestedPlace } from '../../write/attempt.ts';
import type { Element } from '../../write/outcome.ts';
import type { WriteStatements } from '../rows/write-statements.ts';

/** An entity within another one. */
export interface Nested {
  readonly owner: PlannedEntity;
  readonly entity: PlannedEntity;
}

/** The list that an entity has under a relation. */
export interface NestedList {
  readonly owner: PlannedEntity;
  readonly entities: readonly PlannedEntity[];
  /** Whether they are all that was read. */
  readonly isWhole: boolean;
}

/** The lists of entities by their relations of one kind. */
export function listsByRelation(
  owners: readonly PlannedEntity[],
  kind: Relation['kind'],
): ReadonlyMap<Relation, readonly NestedList[]> {
  const lists = new Map<Relation, NestedList[]>();
  for (const owner of owners) {
    for (const { relation, ...list } of owner.nested) {
      if (relation.kind === kind) addTo(lists, relation, { owner, ...list });
    }
  }
  return lists;
}

/** The entities of lists with their owners, one list after the other. */
export function nestedIn(lists: readonly NestedList[]): Nested[] {
  return lists.flatMap(({ owner, entities }) => entities.map((entity) => ({ owner, entity })));
}

/**
 * An attempt at entities that a relation leads to, whose indexes are their places in a list: the first that fails ends it.
 * @param statements those that write entities of the dataclass that the relation leads to
 */
export function attemptBelow(
  relation: Relation,
  nested: readonly Nested[],
  statements: WriteStatements,
  attempt: Attempt,
): Attempt {
  const { target } = relation;
  return {
    ...attempt,
    kind: 'save',
    dataclass: target,
    statements,
    attributes: target.key,
    unique: null,
    atomic: true,
    report: attempt.report?.below(target) ?? null,
    nested: placesBelow(relation, attempt, (index) => nested[index]),
  };
}

/**
 * Where elements stand that a relation leads to.
 * @param nestedAt the owner of the element of an index, and the element where the list holds it
 */
export function placesBelow(
  { kind, name }: Relation,
  attempt: Attempt,
  nestedAt: (index: number) => (Pick<Nested, 'owner'> & Partial<Nested>) | undefined,
): NestedIn {
  return {
    context: attempt.nested?.context ?? attempt,
    placeOf: (index) => {
      const { owner, entity } = nestedAt(index) ?? {};
      if (owner === undefined) throw new Error(`no element ${index}`);
      const { root, path } = placeIn(attempt, owner);
      const place = pathBelow(path, name);
      const isListed = kind === 'relatedEntities' && entity !== undefined;
      return { root, path: isListed ? `${place}[${entity.index}]` : place };
    },
  };
}

/** Where an element of an attempt stands. */
function placeIn({ nested }: Attempt, element: Element): NestedPlace {
  return nested === undefined ? { root: element, path: '' } : nested.placeOf(element.index);
}
