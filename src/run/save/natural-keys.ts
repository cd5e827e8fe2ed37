import { ProtocolError } from '../../base/errors.ts';
import { withoutPadding } from '../../base/text.ts';
import { mapInSlices } from '../../base/time.ts';
import type { NaturalKey } from '../../plan/write/natural-key.ts';
import { heldTooOften, MOST_TIMES, noEntity } from '../body/entity-key.ts';
import type { Slot } from '../convert/entity-values.ts';
import type { KeyTexts, PlannedEntity, ReadEntity, RefusedEntity } from '../convert/types.ts';
import type { Attempt, TakenKey } from '../write/attempt.ts';
import type { Element, EntityWrite } from '../write/outcome.ts';
import { inBodyOrder } from '../write/units.ts';
import { givenKey } from './body-names.ts';
import { isSameGiven, refusalsIn } from './rows/columns.ts';
import { currentRows, refusable } from './rows/current-rows.ts';

/**
 * Saves entities by a natural key: those without a key get that of their row where there is one, in turns: a later one of the same values finds what
 * the earlier one has made (DECISIONS, "Updates").
 */
export async function saveByNaturalKey<Saved extends Element>(
  takenKey: TakenKey,
  entities: readonly ReadEntity[],
  attempt: Attempt,
  save: (entities: readonly ReadEntity[]) => Promise<readonly Saved[]>,
): Promise<readonly Saved[]> {
  takenKey.missing = [];
  const saved: Saved[] = [];
  for (const turn of await inTurns(entities, takenKey.naturalKey, attempt)) {
    for (const one of await save(await withKeys(turn, takenKey, attempt))) saved.push(one);
  }
  return saved.sort(inBodyOrder);
}

/** New entities in the order of their natural keys: transactions that create the same ones wait for each other, not in a circle. */
export function inLockOrder(
  items: readonly EntityWrite[],
  naturalKey: NaturalKey,
): readonly EntityWrite[] {
  const ids = new Map(items.map((item) => [item, idOf(item.entity, naturalKey) ?? '']));
  const idIn = (item: EntityWrite): string => ids.get(item) ?? '';
  return [...items].sort((a, b) => (idIn(a) < idIn(b) ? -1 : idIn(a) > idIn(b) ? 1 : 0));
}

/** Splits entities so that one is of a later turn than those before it that have the same values, or may have under a collation. */
async function inTurns(
  entities: readonly ReadEntity[],
  naturalKey: NaturalKey,
  { oneByOne, dataclass }: Attempt,
): Promise<readonly (readonly ReadEntity[])[]> {
  const turns: ReadEntity[][] = [];
  const times = new Map<string, number>();
  await mapInSlices(entities, (entity, at) => {
    const id = idOf(entity, naturalKey);
    const turn = id === null ? 0 : (times.get(id) ?? 0);
    const isTooOften = turn >= MOST_TIMES && entity.key === null;
    const tooOften = (): ProtocolError =>
      heldTooOften(valuesOf(entity, naturalKey) ?? [], dataclass, naturalKey.name);
    const one = isTooOften ? refused(entity, tooOften()) : entity;
    (turns[oneByOne ? at : Math.min(turn, MOST_TIMES)] ??= []).push(one);
    if (id !== null) times.set(id, turn + 1);
  });
  return turns;
}

/** Gives entities the keys of their rows, which are locked, and refuses those that do not say which row that is. */
async function withKeys(
  entities: readonly ReadEntity[],
  { naturalKey, missing }: TakenKey,
  attempt: Attempt,
): Promise<readonly ReadEntity[]> {
  const { parts, name } = naturalKey;
  const sought: PlannedEntity[] = [];
  const keys: KeyTexts[] = [];
  const read = await mapInSlices(entities, (entity) => {
    if ('error' in entity || entity.key !== null) return entity;
    const values = valuesOf(entity, naturalKey);
    if (values === null) return refused(entity, lackingValue(entity, naturalKey));
    sought.push(entity);
    keys.push(values);
    return entity;
  });
  const columns = parts.map(({ column }) => ({ column, type: column.type }));
  const items = sought.map(({ index, key }, at) => ({
    index,
    key,
    columns,
    cells: keys[at] ?? [],
  }));
  const rows = await refusable(items, 'update', attempt, () =>
    currentRows(parts, keys, [], 'update', attempt),
  );
  const found = new Map<ReadEntity, ReadEntity>();
  for (const [at, entity] of sought.entries()) {
    const row = rows[at] ?? null;
    if (row !== null) found.set(entity, existing(entity, row.key, naturalKey, attempt));
    else if (entity.stamp === null) missing.push(entity.index);
    else found.set(entity, refused(entity, noEntity(keys[at] ?? null, attempt.dataclass, name)));
  }
  return read.map((entity) => found.get(entity) ?? entity);
}

/** The entity of a row, without what is known of the row's key: the parts that it was found by, however they are spelt, and UUIDs that the gateway has made. */
function existing(
  entity: PlannedEntity,
  key: KeyTexts,
  naturalKey: NaturalKey,
  { dataclass }: Attempt,
): PlannedEntity {
  const ofKey = new Set(dataclass.key.map(({ column }) => column.name));
  const { slots } = entity.given.shape;
  const isKnown = (slot: Slot, at: number): boolean => {
    if (!ofKey.has(slot.column.name)) return false;
    if (isMade(entity, slot, at)) return true;
    const first = slots.findIndex(({ column }) => column.name === slot.column.name);
    return isOfKey(slot, naturalKey) && isSameGiven(entity.given, first, at);
  };
  const given = entity.given.revised((slot, at) => (isKnown(slot, at) ? null : undefined));
  return { ...entity, key, given };
}

/** Whether the gateway has made a value: a UUID that the body does not give. */
function isMade({ given }: PlannedEntity, { column, leading }: Slot, at: number): boolean {
  return column.type.kind === 'uuid' && given.sent(at) === undefined && leading === undefined;
}

function isOfKey({ column }: Pick<Slot, 'column'>, { parts }: NaturalKey): boolean {
  return parts.some((part) => part.column.name === column.name);
}

/** The values that an entity gives the natural key; null where they are not all there. */
function valuesOf(entity: ReadEntity, { parts }: NaturalKey): KeyTexts | null {
  if ('error' in entity) return null;
  return givenKey(
    parts.map(({ column }) => column.name),
    entity.given,
  );
}

/** Equal for values that are equal, or may be: apart from case, accents and blanks at the end. */
function idOf(entity: ReadEntity, naturalKey: NaturalKey): string | null {
  const values = valuesOf(entity, naturalKey)?.map((value) =>
    withoutPadding(value).normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase(),
  );
  return values === undefined ? null : JSON.stringify(values);
}

function lackingValue({ given }: PlannedEntity, { parts, name }: NaturalKey): ProtocolError {
  const lacking = parts.find(({ column }) => givenKey([column.name], given) === null);
  const member = lacking?.member ?? name;
  const at = given.shape.slots.findIndex(({ column }) => column.name === lacking?.column.name);
  const refused = given.doubts?.get(at)?.refusal === undefined ? null : refusalsIn(given).joined();
  if (refused !== null) return refused;
  const isNull = given.values[at] === null;
  const message = isNull
    ? `${member} is null: $key=${name} finds an entity by values, which null is not.`
    : `${member} is missing: $key=${name} finds an entity by all of its values. Give it, or the __KEY.`;
  return new ProtocolError('keyIsNull', message).about(member);
}

function refused({ index, key }: Element, error: ProtocolError): RefusedEntity {
  return { index, key, names: new Set(), error };
}
