import type { Relation } from '../model/types.ts';
import type { PlannedEntity } from '../values/types.ts';
import type { Attempt } from './attempt.ts';
import { keyId, type CurrentRow } from './current-rows.ts';
import type { WithRow } from './each-row-once.ts';

/**
 * Takes out the nulls that say nothing. A reference to a row outside of its dataclass's restriction reads as null: a client that
 * sends back what it read must not clear what it was never shown. The references are looked for by one statement a relation.
 */
export async function withoutHiddenReferences<Entity extends PlannedEntity>(
  found: readonly WithRow<Entity>[],
  attempt: Attempt,
): Promise<readonly WithRow<Entity>[]> {
  const hidden = await hiddenReferences(found, attempt);
  if (hidden.size === 0) return found;
  return found.map(([entity, row]): WithRow<Entity> => {
    const given = entity.given.filter(
      ({ hiding }) =>
        hiding === undefined || hidden.get(hiding)?.has(referenceId(hiding, row)) !== true,
    );
    return [given.length === entity.given.length ? entity : { ...entity, given }, row];
  });
}

/** Of the references that entities are to be rid of, those that lead to no entity, by relation. */
async function hiddenReferences(
  found: readonly WithRow<PlannedEntity>[],
  { statements, source }: Attempt,
): Promise<ReadonlyMap<Relation, ReadonlySet<string>>> {
  const doubtful = new Map<Relation, Map<string, readonly (string | null)[]>>();
  for (const [{ given }, row] of found) {
    for (const relation of new Set(given.flatMap(({ hiding = [] }) => hiding))) {
      const reference = referenceOf(relation, row);
      if (!reference.every((part) => part !== null)) continue;
      const references = doubtful.get(relation) ?? new Map<string, readonly (string | null)[]>();
      doubtful.set(relation, references.set(keyId(reference), reference));
    }
  }
  const hidden = new Map<Relation, ReadonlySet<string>>();
  for (const [relation, references] of doubtful) {
    const rows = await source.run(statements.referred(relation), {
      rows: [...references.values()],
    });
    const shown = new Set(rows.map(([ordinal]) => Number(ordinal)));
    hidden.set(relation, new Set([...references.keys()].filter((_, at) => !shown.has(at))));
  }
  return hidden;
}

function referenceId(relation: Relation, row: CurrentRow | null): string {
  return keyId(referenceOf(relation, row));
}

function referenceOf({ hops }: Relation, row: CurrentRow | null): readonly (string | null)[] {
  return (hops[0]?.from ?? []).map(({ name }) => row?.column(name) ?? null);
}
