import { addTo } from '../../base/collections.ts';
import { catching, notApplicable, ProtocolError } from '../../base/errors.ts';
import type { Dataclass, Relation } from '../../model/types.ts';
import { entityName } from '../body/entity-key.ts';
import { pathBelow } from '../body/body-entity.ts';
import { leadTo, ownedValues } from '../body/slots.ts';
import { EntityValues } from '../convert/entity-values.ts';
import type { KeyTexts, PlannedDelete, PlannedEntity } from '../convert/types.ts';
import { deleteRows } from '../delete/delete.ts';
import { cellText } from '../run.ts';
import type { Attempt, NestedIn } from '../write/attempt.ts';
import type { Element, Outcome } from '../write/outcome.ts';
import { refusedAlone, rolledBack, withConsequence } from '../write/write-errors.ts';
import { settledId } from './body-names.ts';
import { currentRows, keyId, textsIn } from './rows/current-rows.ts';

/** The list that an entity has under a relation. */
export interface NestedList {
  readonly owner: PlannedEntity;
  readonly entities: readonly PlannedEntity[];
  readonly isWhole: boolean;
}

/** A list with what relates its entities to their owner. */
export interface OwnedList extends NestedList {
  /** The owner's key, as its row has it. */
  readonly ownerKey: KeyTexts;
  /** The owner's values for the columns of the list's entities, in the order of the relation's columns. */
  readonly values: EntityValues;
}

/** A nested entity with its owner; `entity` is left out where the body does not list it. */
interface Nested {
  readonly owner: PlannedEntity;
  readonly entity?: PlannedEntity;
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

/** An attempt at the entities of lists, whose indexes are their places in one list after the other: the first that fails ends it. */
export function attemptBelow(
  relation: Relation,
  lists: readonly NestedList[],
  attempt: Attempt,
): Attempt {
  const { target } = relation;
  const nested = lists.flatMap(({ owner, entities }) =>
    entities.map((entity): Nested => ({ owner, entity })),
  );
  return {
    ...attempt,
    kind: 'save',
    dataclass: target,
    attributes: target.key,
    unique: null,
    atomic: true,
    report: attempt.report?.below(target) ?? null,
    nested: nestedIn(relation, nested, attempt),
  };
}

/** Tells which entity of the body holds a nested one, and by which path. */
function nestedIn(
  { kind, name, inverse }: Relation,
  nested: readonly Nested[],
  attempt: Attempt,
): NestedIn {
  return {
    inverse,
    context: attempt.nested?.context ?? attempt,
    locate: (index) => {
      const { owner, entity } = nested[index] ?? {};
      if (owner === undefined) throw new Error(`no element ${index}`);
      const { root, path } = located(owner, attempt);
      const place = pathBelow(path, name);
      const isListed = kind === 'relatedEntities' && entity !== undefined;
      return { root, path: isListed ? `${place}[${entity.index}]` : place };
    },
  };
}

/** Where the body has an entity. */
function located(entity: Element, { nested }: Attempt): ReturnType<NestedIn['locate']> {
  return nested?.locate(entity.index) ?? { root: entity, path: '' };
}

/** Relates an entity to those that were saved ahead of it, whose keys `links` holds by relation. */
export function withLinks(
  entity: PlannedEntity,
  links: readonly { readonly relation: Relation; readonly key: KeyTexts | null }[],
  attempt: Attempt,
): PlannedEntity {
  if (links.length === 0) return entity;
  const given = new EntityValues(attempt.dataclass);
  const related = [...entity.related];
  // The last one stands first.
  for (const { relation, key } of links.toReversed()) {
    if (key === null) throw failing(entity, unknownKey(relation.target), attempt);
    const one = orFailing(entity, attempt, () => leadTo(relation, key, given));
    if (one !== null) related.unshift(one);
  }
  given.addAll(entity.given);
  return { ...entity, given, related };
}

/** Finds the values that relate the entities of lists to their owners; `ownerKeys` has null for an owner without a known key. */
export async function ownedLists(
  relation: Relation,
  lists: readonly NestedList[],
  ownerKeys: readonly (KeyTexts | null)[],
  attempt: Attempt,
): Promise<OwnedList[]> {
  const { dataclass } = attempt;
  const columns = relation.hops[0].from;
  const parts = columns.map(({ name }) =>
    dataclass.key.findIndex(({ column }) => column.name === name),
  );
  const keys = lists.map(({ owner }, at): KeyTexts => {
    const key = ownerKeys[at] ?? null;
    if (key === null) throw failing(owner, unknownKey(dataclass), attempt);
    return key;
  });
  const isOfKey = parts.every((part) => part >= 0);
  const rows = isOfKey ? [] : await currentRows(dataclass.key, keys, columns, null, attempt);
  return lists.map((list, at): OwnedList => {
    const { owner } = list;
    const ownerKey = keys[at] ?? [];
    const texts = columns.map(({ name }, index) =>
      isOfKey ? ownerKey[parts[index] ?? 0] : rows[at]?.column(name),
    );
    if (!texts.every((text) => typeof text === 'string')) {
      const member = `${dataclass.name}.${relation.name}`;
      const message = `${member} stands on a value that the entity does not have: nothing can be related to it.`;
      throw failing(owner, new ProtocolError('keyIsNull', message).about(member), attempt);
    }
    const values = orFailing(owner, attempt, () => ownedValues(relation, texts, dataclass));
    return { ...list, ownerKey, values };
  });
}

/** The result of work; where it fails, the attempt ends. */
function orFailing<Result>(entity: PlannedEntity, attempt: Attempt, work: () => Result): Result {
  return catching(ProtocolError, work, (error) => {
    throw failing(entity, error, attempt);
  });
}

/** The error that ends the attempt, because an entity cannot be saved with those within it. */
function failing(entity: PlannedEntity, error: ProtocolError, attempt: Attempt): Error {
  return rolledBack(entity, withConsequence(error, entity.key, attempt), attempt);
}

function unknownKey({ name }: Dataclass): ProtocolError {
  const message = `The database does not tell the key of the new entity of ${name}: no other one can be saved along with it.`;
  return new ProtocolError('keyIsNull', message);
}

/** How many entities `$replace` deletes because the list does not name them. */
const MOST_REPLACED = 10_000;

/**
 * Deletes the entities that a relation leads to and that the body does not name, neither in these lists nor elsewhere, where they move to
 * (`$replace`). This is done before the lists are saved, as new entities may have the keys of deleted ones. Only entities that the user can see
 * are deleted. Returns the outcomes by the indexes of their owners; `inner` is the attempt at the entities of the lists.
 */
export async function deleteReplaced(
  relation: Relation,
  lists: readonly OwnedList[],
  attempt: Attempt,
  inner: Attempt,
): Promise<ReadonlyMap<number, readonly Outcome[]>> {
  const { name, target } = relation;
  const { dataclass } = attempt;
  const member = `${dataclass.name}.${name}`;
  // Nothing is related yet to a new entity.
  const existing = lists.filter(({ owner }) => owner.key !== null);
  if (existing.length === 0) return new Map();
  // A client that sends back the first page of a list does not mean to delete the others.
  const part = existing.find(({ isWhole }) => !isWhole);
  if (part !== undefined) {
    const message = `${member} is a part of what was read, as its __COUNT tells: a list that replaces all has to hold all.`;
    throw rolledBack(part.owner, notApplicable(message).about(member), attempt);
  }
  for (const { owner, ownerKey } of existing) {
    const { root } = located(owner, attempt);
    if (attempt.body?.settle(settledId(dataclass, ownerKey, member), root) === false) {
      const message = `The body has two lists of ${name} for ${entityName(dataclass, ownerKey)}: one that replaces all stands alone.`;
      const error = notApplicable(message).about(member);
      throw attempt.atomic ? rolledBack(owner, error, attempt) : refusedAlone(owner, error);
    }
  }
  const naming = await namingOf(inner);
  const statement = attempt.statements.lookup(dataclass, 'owned', relation);
  const rows = await attempt.source.run(statement, {
    rows: existing.map(({ values }) => textsIn(values.values)),
  });
  const others = rows.flatMap((row) => {
    const list = existing[Number(row[0])];
    const key = target.key.map((_, at) => cellText(statement, row, 1 + at) ?? '');
    if (list === undefined) return [];
    const { root } = located(list.owner, attempt);
    const isKept = attempt.body?.keeps(naming.get(keyId(key)) ?? [], root) === true;
    return isKept ? [] : [{ owner: list.owner, key }];
  });
  const [first] = others;
  if (first === undefined) return new Map();
  if (others.length > MOST_REPLACED) {
    const message = `More than ${MOST_REPLACED} entities of ${target.name} would be deleted, because ${name} does not list them: delete them by $filter.`;
    throw rolledBack(first.owner, notApplicable(message), attempt);
  }
  const deleted = await deleteRows(
    others.map(({ key }, index): PlannedDelete => ({ index, key, stamp: null })),
    {
      ...inner,
      kind: 'delete',
      passesOverGone: true,
      nested: nestedIn(relation, others, attempt),
    },
  );
  const byOwner = new Map<number, Outcome[]>();
  for (const outcome of deleted) {
    addTo(byOwner, others[outcome.index]?.owner.index ?? -1, outcome);
  }
  return byOwner;
}

/** The elements that name entities of the dataclass, by the {@link keyId} that their rows have: the body may spell it otherwise. */
async function namingOf(attempt: Attempt): Promise<ReadonlyMap<string, readonly number[]>> {
  const { body, dataclass } = attempt;
  const names = body?.of(dataclass) ?? [];
  const keys = names.map(({ key }) => key);
  const naming = new Map<string, number[]>();
  const rows = await currentRows(dataclass.key, keys, [], null, attempt);
  for (const [at, { root }] of names.entries()) {
    const row = rows[at] ?? null;
    if (row !== null) addTo(naming, keyId(row.key), root);
  }
  return naming;
}
