import type { Relation } from '../model/types.ts';
import { isJsonOf } from '../values/same-json.ts';
import type { GivenValue, PlannedEntity } from '../values/types.ts';
import type { Attempt } from './attempt.ts';
import { keyId, type CurrentRow } from './current-rows.ts';
import type { WithRow } from './each-row-once.ts';
import { leadingToEntities } from './referred.ts';

/**
 * Takes out what says nothing, because it is what is answered of the row: a client that sends back what it read changes
 * nothing, also where the answer says less than the row holds. A float that is no number reads as null, text that is no JSON as
 * text, a reference as null that leads to no entity. Such references are looked for by one statement a relation.
 */
export async function withoutRepetitions<Entity extends PlannedEntity>(
  found: readonly WithRow<Entity>[],
  attempt: Attempt,
): Promise<readonly WithRow<Entity>[]> {
  const hidden = await hiddenReferences(found, attempt);
  return found.map(([entity, row]): WithRow<Entity> => {
    if (row === null) return [entity, row];
    const given = entity.given.filter((value) => !isRepeated(value, row, hidden));
    return [given.length === entity.given.length ? entity : { ...entity, given }, row];
  });
}

/** The references of rows that read as null, as text, by relation. */
type HiddenReferences = ReadonlyMap<Relation, ReadonlySet<string>>;

function isRepeated(
  { said, clearing, column: { name } }: GivenValue,
  row: CurrentRow,
  hidden: HiddenReferences,
): boolean {
  if (clearing !== undefined) {
    const reference = referenceOf(clearing, row);
    return reference.includes(null) || hidden.get(clearing)?.has(keyId(reference)) === true;
  }
  const answered = said === undefined ? null : row.json(name);
  return said !== undefined && answered !== null && isJsonOf(answered, said);
}

/** Of the references that entities are to be rid of, those that lead to no entity. */
async function hiddenReferences(
  found: readonly WithRow<PlannedEntity>[],
  attempt: Attempt,
): Promise<HiddenReferences> {
  const doubtful = new Map<Relation, Map<string, readonly (string | null)[]>>();
  for (const [{ given }, row] of found) {
    for (const relation of new Set(given.flatMap(({ clearing = [] }) => clearing))) {
      const reference = referenceOf(relation, row);
      if (reference.includes(null) || !isLookedUp(relation)) continue;
      const references = doubtful.get(relation) ?? new Map<string, readonly (string | null)[]>();
      doubtful.set(relation, references.set(keyId(reference), reference));
    }
  }
  const hidden = new Map<Relation, ReadonlySet<string>>();
  for (const [relation, references] of doubtful) {
    const shown = await leadingToEntities(relation, references, attempt);
    hidden.set(relation, new Set([...references.keys()].filter((id) => !shown.has(id))));
  }
  return hidden;
}

/** Whether a reference is answered by the row that it leads to, and not as it stands. */
function isLookedUp({ target, hops }: Relation): boolean {
  const isDirect = target.key.every(({ column }) =>
    hops[0]?.to.some(({ name }) => name === column.name),
  );
  return target.where !== null || !isDirect;
}

function referenceOf({ hops }: Relation, row: CurrentRow | null): readonly (string | null)[] {
  return (hops[0]?.from ?? []).map(({ name }) => row?.column(name) ?? null);
}
