import { ProtocolError } from '../../../base/errors.ts';
import { addTo } from '../../../base/collections.ts';
import type { Relation } from '../../../model/types.ts';
import { entityName, type KeyTexts } from '../../body/body-key.ts';
import { cells } from '../../body/changes.ts';
import type { GivenValue, PlannedDelete } from '../../convert/types.ts';
import { Refused, type Attempt } from '../../write/attempt.ts';
import { currentRows, keyId } from '../rows/current-rows.ts';
import { deleteRows } from '../../delete/delete-rows.ts';
import { tableId } from '../rows/named-keys.ts';
import { placesBelow, type NestedList } from './nested-attempt.ts';
import { failed, type Element, type Outcome } from '../../write/outcome.ts';
import { rolledBack } from '../../write/write-errors.ts';
import { cellText } from '../../run.ts';

/** How many entities are deleted because a list that replaces all does not name them. */
const MOST_REPLACED = 10_000;

/** The list that an entity has under a relation, which is all that there is to be. */
export interface WholeList extends NestedList {
  /** That of the owner, as its row has it. */
  readonly ownerKey: KeyTexts;
  /** What the owner gives those of its list, in the order of the columns that the relation leads to. */
  readonly values: readonly GivenValue[];
}

/** Behind the ordinal. */
const FIRST_OUTPUT = 1;

/**
 * Deletes what a relation leads to and the body does not name, in these lists or elsewhere, where it moves to, before anything of the lists is saved: what they hold anew may have the keys of what is
 * deleted. Only what whoever asks can see is looked at.
 * @param inner the attempt at the entities of the lists
 * @returns what became of them, by the indexes of their owners
 * @throws ProtocolError, or Refused of the entity that they are within
 */
export async function deleteReplaced(
  relation: Relation,
  lists: readonly WholeList[],
  attempt: Attempt,
  inner: Attempt,
): Promise<ReadonlyMap<number, readonly Outcome[]>> {
  // Nothing is related yet to what is new.
  const existing = lists.filter(({ owner }) => owner.key !== null);
  if (existing.length === 0) return new Map();
  const part = existing.find(({ isWhole }) => !isWhole);
  if (part !== undefined) throw rolledBack(part.owner, notAll(relation, attempt), attempt);
  const owners = new Set<string>();
  for (const { owner, ownerKey } of existing) {
    const id = keyId(ownerKey);
    if (owners.has(id)) throw refusedAlone(owner, twoLists(relation, ownerKey, attempt), attempt);
    owners.add(id);
  }
  const named = await namedKeys(inner);
  const statement = attempt.statements.owned(relation);
  const rows = await attempt.source.run(statement, {
    rows: existing.map(({ values }) => cells(values)),
  });
  const others = rows.flatMap((row) => {
    const list = existing[Number(row[0])];
    const key = relation.target.key.map(
      (_, part) => cellText(statement, row, FIRST_OUTPUT + part) ?? '',
    );
    return list === undefined || named.has(keyId(key)) ? [] : [{ owner: list.owner, key }];
  });
  const [first] = others;
  if (first === undefined) return new Map();
  if (others.length > MOST_REPLACED) throw rolledBack(first.owner, tooMany(relation), attempt);
  const deleted = await deleteRows(
    others.map(({ key }, index): PlannedDelete => ({ index, key, stamp: null })),
    {
      ...inner,
      kind: 'delete',
      passesOverGone: true,
      nested: placesBelow(relation, attempt, (index) => others[index]),
    },
  );
  const byOwner = new Map<number, Outcome[]>();
  for (const outcome of deleted) {
    addTo(byOwner, others[outcome.index]?.owner.index ?? -1, outcome);
  }
  return byOwner;
}

/** The keys of the dataclass's table that the body names, as their rows have them: they may be written otherwise. */
async function namedKeys({ named, ...inner }: Attempt): Promise<ReadonlySet<string>> {
  // Another dataclass of the table may have another key.
  const { length } = inner.dataclass.key;
  const keys = (named?.().get(tableId(inner.dataclass)) ?? []).filter(
    (key) => key.length === length,
  );
  const rows = await currentRows(inner.dataclass.key, keys, [], null, inner);
  return new Set(rows.flatMap((row) => (row === null ? [] : [keyId(row.key)])));
}

/** Nobody deletes what stands on the pages behind the first by sending that back. */
function notAll({ name }: Relation, { dataclass }: Attempt): ProtocolError {
  const member = `${dataclass.name}.${name}`;
  return new ProtocolError(
    'notApplicable',
    `${member} is a part of what was read, as its __COUNT tells: a list that replaces all has to hold all.`,
  ).about(member);
}

/** What ends the attempt; where elements stand alone this one fails, whatever comes of the others. */
function refusedAlone(element: Element, error: ProtocolError, attempt: Attempt): Error {
  return attempt.atomic
    ? rolledBack(element, error, attempt)
    : new Refused(error, [failed(element, error)]);
}

/** Of two lists of one entity neither is all. */
function twoLists({ name }: Relation, key: KeyTexts, { dataclass }: Attempt): ProtocolError {
  const member = `${dataclass.name}.${name}`;
  return new ProtocolError(
    'notApplicable',
    `The body has two lists of ${name} for ${entityName(dataclass, key)}: one that replaces all stands alone.`,
  ).about(member);
}

function tooMany({ name, target }: Relation): ProtocolError {
  return new ProtocolError(
    'notApplicable',
    `More than ${MOST_REPLACED} entities of ${target.name} would be deleted, because ${name} does not list them: delete them by $filter.`,
  );
}
