import type { KeyTexts } from '../../body/body-key.ts';
import { heldTooOften } from '../../convert/held-too-often.ts';
import type { WriteContext } from '../../write/attempt.ts';
import { keyId, type CurrentRow } from './current-rows.ts';
import { failFast } from '../../write/fail-fast.ts';
import { failed, type Element, type Failed } from '../../write/outcome.ts';

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

/** What becomes of entities that a body holds more often than it may. @throws as {@link failFast} */
export function tooOften(
  entities: readonly (Element & { readonly key: KeyTexts })[],
  context: WriteContext,
): readonly Failed[] {
  const { dataclass, unique } = context;
  const steps = entities.map((entity) =>
    failed(entity, heldTooOften(entity.key, dataclass, unique)),
  );
  failFast(steps, context);
  return steps;
}
