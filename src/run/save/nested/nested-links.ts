import { ProtocolError } from '../../../base/errors.ts';
import type { Dataclass, Relation } from '../../../model/types.ts';
import type { KeyTexts } from '../../body/body-key.ts';
import { leadingTo, ownedValues } from '../../body/given-value.ts';
import type { PlannedEntity } from '../../convert/types.ts';
import type { Attempt } from '../../write/attempt.ts';
import { currentRows } from '../rows/current-rows.ts';
import type { NestedList } from './nested-attempt.ts';
import type { WholeList } from './delete-replaced.ts';
import { rolledBack, toldOf } from '../../write/write-errors.ts';

/** A new entity that another one is to be led to. */
export interface Link {
  readonly relation: Relation;
  readonly key: KeyTexts | null;
}

/**
 * An entity that leads to those that were saved ahead of it.
 * @throws Refused, or ProtocolError of an attempt at all or none, where the key of one is not known
 */
export function withLinks(
  entity: PlannedEntity,
  links: readonly Link[],
  attempt: Attempt,
): PlannedEntity {
  return links.reduce((led, { relation, key }) => {
    if (key === null) throw failing(entity, unknownKey(relation.target), attempt);
    const { given, related } = orFailing(entity, attempt, () =>
      leadingTo(relation, key, attempt.dataclass),
    );
    return { ...led, given: [...given, ...led.given], related: [...related, ...led.related] };
  }, entity);
}

/** A list whose entities are given what relates them to their owner. */
export function ownedList({ values, ...list }: WholeList): NestedList {
  return {
    ...list,
    entities: list.entities.map((entity) => ({ ...entity, given: [...entity.given, ...values] })),
  };
}

/**
 * Lists with what their owners give those that they hold.
 * @throws Refused, or ProtocolError of an attempt at all or none, where that is nothing, or not known
 */
export async function withValues(
  relation: Relation,
  lists: readonly NestedList[],
  ownerKeys: readonly (KeyTexts | null)[],
  attempt: Attempt,
): Promise<WholeList[]> {
  const { dataclass } = attempt;
  const columns = relation.hops[0]?.from ?? [];
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
  return lists.map((list, at): WholeList => {
    const texts = columns.map(({ name }, index) =>
      isOfKey ? keys[at]?.[parts[index] ?? 0] : rows[at]?.column(name),
    );
    if (texts.every((text) => typeof text === 'string')) {
      const values = orFailing(list.owner, attempt, () => ownedValues(relation, texts, dataclass));
      return { ...list, ownerKey: keys[at] ?? [], values };
    }
    throw failing(list.owner, nothingToLeadTo(relation, dataclass), attempt);
  });
}

/** What leads entities to each other; where it cannot, the attempt ends. */
function orFailing<Result>(entity: PlannedEntity, attempt: Attempt, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    throw failing(entity, error, attempt);
  }
}

/** What ends the attempt, because an entity cannot be saved with those within it. */
function failing(entity: PlannedEntity, error: ProtocolError, attempt: Attempt): Error {
  return rolledBack(entity, toldOf(entity.key, error, attempt), attempt);
}

/** The key of a new entity that only the database knows, which does not tell it. */
function unknownKey({ name }: Dataclass): ProtocolError {
  return new ProtocolError(
    'keyIsNull',
    `The database does not tell the key of the new entity of ${name}: no other one can be saved along with it.`,
  );
}

function nothingToLeadTo({ name }: Relation, dataclass: Dataclass): ProtocolError {
  const member = `${dataclass.name}.${name}`;
  return new ProtocolError(
    'keyIsNull',
    `${member} stands on a value that the entity does not have: nothing can be related to it.`,
  ).about(member);
}
