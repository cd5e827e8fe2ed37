import { keyId, type CurrentRow } from './current-rows.ts';

/** An entity, and its row where there is one. */
export type WithRow<Entity> = readonly [entity: Entity, row: CurrentRow | null];

/** Splits entities into those that meet their row first, and those whose row another one before them changes. */
export function eachRowOnce<Entity>(
  entities: readonly Entity[],
  rows: readonly (CurrentRow | null)[],
): { readonly first: readonly WithRow<Entity>[]; readonly again: readonly Entity[] } {
  const seen = new Set<string>();
  const first: WithRow<Entity>[] = [];
  const again: Entity[] = [];
  for (const [at, entity] of entities.entries()) {
    const row = rows[at] ?? null;
    const id = row === null ? null : keyId(row.key);
    if (id !== null && seen.has(id)) again.push(entity);
    else first.push([entity, row]);
    if (id !== null) seen.add(id);
  }
  return { first, again };
}
