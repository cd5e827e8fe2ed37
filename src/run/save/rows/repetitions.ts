import { withoutPadding } from '../../../base/text.ts';
import { atOnce } from '../../../base/time-slice.ts';
import type { Relation } from '../../../model/types.ts';
import type { JsonValue } from '../../../protocol/body/json-value.ts';
import { jsonCheck } from '../../../sql/json-check.ts';
import { COMPARED_JSON, isJsonOf } from '../../convert/same-json.ts';
import { isBytes, isSameValue } from '../../convert/stored-value.ts';
import type { GivenValue, PlannedEntity } from '../../convert/types.ts';
import type { Attempt, WriteContext } from '../../write/attempt.ts';
import { type CurrentRow, keyId } from './current-rows.ts';
import { findReferences, type References } from '../nested/find-references.ts';
import type { KeyTexts } from '../../body/body-key.ts';
import { heldTooOften } from '../../convert/held-too-often.ts';
import { failFast } from '../../write/write-errors.ts';
import { type Element, failed, type Failed } from '../../write/outcome.ts';

/**
 * Takes out what says nothing, because it is what is answered of the row: a client that sends back what it read changes
 * nothing, also where the answer says less than the row holds. A float that is not a number reads as null, text that is not JSON as
 * text, a reference as null that leads to no entity, and as the entity's key where that is spelt otherwise. Such references are
 * looked for by one statement a relation.
 */
export async function withoutRepetitions<Entity extends PlannedEntity>(
  found: readonly WithRow<Entity>[],
  attempt: Attempt,
): Promise<readonly WithRow<Entity>[]> {
  const leading = await leadingReferences(found, attempt);
  return found.map(([entity, row]): WithRow<Entity> => {
    if (row === null) return [entity, row];
    const given = entity.given.filter((value) => !isRepeated(value, row, leading));
    return [given.length === entity.given.length ? entity : { ...entity, given }, row];
  });
}

/** Of the references of rows that were looked for, those that lead to an entity, by relation. */
type LeadingReferences = ReadonlyMap<Relation, References>;

function isRepeated(value: GivenValue, row: CurrentRow, found: LeadingReferences): boolean {
  const { said, clearing, leading, column } = value;
  if (clearing !== undefined) {
    const reference = referenceOf(clearing, row);
    if (reference.includes(null)) return true;
    return isLookedUp(clearing) && found.get(clearing)?.has(keyId(reference)) === false;
  }
  if (leading !== undefined) {
    const [hop] = leading.hops;
    const at = hop?.from.indexOf(column) ?? -1;
    const type = hop?.to[at]?.type;
    const text = found.get(leading)?.get(keyId(referenceOf(leading, row)))?.[at];
    return type !== undefined && text !== undefined && isSameValue(text, value.value, type);
  }
  return said !== undefined && isAnswered(value, said, row);
}

/** Whether what a body says of an attribute is what is answered of it. */
function isAnswered(given: GivenValue, said: JsonValue, row: CurrentRow): boolean {
  const { column, type, value } = given;
  const isJson = type.kind === 'json' && type.items === undefined;
  const written = isJson && typeof value === 'string' ? value : undefined;
  if (written !== undefined || type.kind === 'text' || type.kind === 'opaque') {
    const current = row.column(column.name);
    if (isLong(current) || isLong(said)) return isLongAnswered(current, said, written);
  }
  const answered = row.json(column.name);
  return answered !== null && isJsonOf(answered, said, written);
}

/** Longer values are neither written as JSON nor looked through to be compared: it would hold up everybody else. */
function isLong(value: JsonValue): boolean {
  return typeof value === 'string' && value.length > COMPARED_JSON;
}

/** @param written what is said as JSON text, of what is stored so */
function isLongAnswered(current: string | null, said: JsonValue, written?: string): boolean {
  if (current === null) return said === null;
  if (current === written) return true;
  // Text that is not JSON is told by its first few characters, as a rule.
  return current === said && (written === undefined || !atOnce(jsonCheck(current)));
}

/** Looks for the entities that references lead to where only the engine can tell whether a body repeats them. */
async function leadingReferences(
  found: readonly WithRow<PlannedEntity>[],
  attempt: Attempt,
): Promise<LeadingReferences> {
  const doubtful = new Map<Relation, Map<string, readonly (string | null)[]>>();
  for (const [{ given }, row] of found) {
    if (row === null) continue;
    const relations = given.flatMap(({ clearing, leading }) => clearing ?? leading ?? []);
    for (const relation of new Set(relations)) {
      const reference = referenceOf(relation, row);
      if (reference.includes(null) || !isDoubtful(relation, given, row)) continue;
      const references = doubtful.get(relation) ?? new Map<string, readonly (string | null)[]>();
      doubtful.set(relation, references.set(keyId(reference), reference));
    }
  }
  const leading = new Map<Relation, References>();
  for (const [relation, references] of doubtful) {
    leading.set(relation, await findReferences(relation, references, attempt));
  }
  return leading;
}

/** Whether the row's reference may read as null, which is what it is given; or lead to the entity that it is given, which is spelt otherwise. */
function isDoubtful(relation: Relation, given: readonly GivenValue[], row: CurrentRow): boolean {
  const values = given.filter(({ leading }) => leading === relation);
  if (values.length === 0) return isLookedUp(relation);
  const spellings = values.map(({ column, type, value }) => {
    const current = row.column(column.name);
    if (isSameValue(current, value, type)) return 'same';
    const isText = type.kind === 'text' && current !== null && value !== null && !isBytes(value);
    return isText && mayBeSameText(current, value) ? 'like' : 'other';
  });
  return spellings.includes('like') && !spellings.includes('other');
}

const alike = new Intl.Collator('und', { sensitivity: 'base' });

/** Whether some collation takes two texts for the same: case, accents and blanks at the end aside. */
function mayBeSameText(one: string, other: string): boolean {
  return alike.compare(withoutPadding(one), withoutPadding(other)) === 0;
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
