import { ProtocolError } from '../base/errors.ts';
import type { Relation } from '../model/types.ts';
import { MOST_ENTITIES } from '../request/body.ts';
import { pathBelow } from '../values/nested.ts';
import type { PlannedDelete, PlannedEntity } from '../values/types.ts';
import type { Attempt } from './attempt.ts';
import { currentRows, keyId } from './current-rows.ts';
import { deleteRows } from './delete-rows.ts';
import { placeIn } from './nested-attempt.ts';
import type { Outcome } from './outcome.ts';
import { rolledBack } from './rolled-back.ts';
import { cellText } from './run.ts';

/** The list that an entity has under a relation, which is all that there is to be. */
export interface WholeList {
  readonly owner: PlannedEntity;
  readonly entities: readonly PlannedEntity[];
  /** What the owner's columns hold that the relation stands on. */
  readonly texts: readonly string[];
}

/** Behind the ordinal. */
const FIRST_OUTPUT = 1;

/**
 * Deletes what a relation leads to and the lists do not name, before anything of the lists is saved: what they hold anew may have the keys of what is
 * deleted. Only what whoever asks can see is looked at.
 * @param inner the attempt at the entities of the lists
 * @returns what became of them, by the indexes of their owners
 * @throws ProtocolError, or Refused of the entity that they are within
 */
export async function deleteOthers(
  relation: Relation,
  lists: readonly WholeList[],
  attempt: Attempt,
  inner: Attempt,
): Promise<ReadonlyMap<number, readonly Outcome[]>> {
  // Nothing is related yet to what is new.
  const existing = lists.filter(({ owner }) => owner.key !== null);
  if (existing.length === 0) return new Map();
  const named = await namedKeys(existing, inner);
  const statement = attempt.statements.owned(relation);
  const rows = await attempt.source.run(statement, { rows: existing.map(({ texts }) => texts) });
  const others = rows.flatMap((row) => {
    const list = existing[Number(row[0])];
    const key = relation.target.key.map(
      (_, part) => cellText(statement, row, FIRST_OUTPUT + part) ?? '',
    );
    return list === undefined || named.has(keyId(key)) ? [] : [{ owner: list.owner, key }];
  });
  const [first] = others;
  if (first === undefined) return new Map();
  if (others.length > MOST_ENTITIES) throw rolledBack(first.owner, tooMany(relation), attempt);
  const deleted = await deleteRows(
    others.map(({ key }, index): PlannedDelete => ({ index, key, stamp: null })),
    {
      ...inner,
      kind: 'delete',
      passesOverGone: true,
      nested: {
        context: attempt.nested?.context ?? attempt,
        placeOf: (index) => {
          const { root, path } = placeIn(attempt, (others[index] ?? first).owner);
          return { root, path: pathBelow(path, relation.name) };
        },
      },
    },
  );
  const byOwner = new Map<number, Outcome[]>();
  for (const outcome of deleted) {
    const owner = others[outcome.index]?.owner.index ?? -1;
    byOwner.set(owner, [...(byOwner.get(owner) ?? []), outcome]);
  }
  return byOwner;
}

/** The keys that lists name, as their rows have them: they may be written otherwise. */
async function namedKeys(
  lists: readonly WholeList[],
  inner: Attempt,
): Promise<ReadonlySet<string>> {
  const keys = lists.flatMap(({ entities }) =>
    entities.flatMap(({ key }) => (key === null ? [] : [key])),
  );
  const rows = await currentRows(inner.dataclass.key, keys, [], null, inner);
  return new Set(rows.flatMap((row) => (row === null ? [] : [keyId(row.key)])));
}

function tooMany({ name, target }: Relation): ProtocolError {
  return new ProtocolError(
    'notApplicable',
    `More than ${MOST_ENTITIES} entities of ${target.name} would be deleted, because ${name} does not list them: delete them by $filter.`,
  );
}
