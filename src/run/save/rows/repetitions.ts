import { addTo } from '../../../base/collections.ts';
import { withoutPadding } from '../../../base/text.ts';
import { atOnce } from '../../../base/time.ts';
import type { Relation } from '../../../model/types.ts';
import type { JsonValue } from '../../../protocol/body/json.ts';
import { jsonCheck } from '../../../sql/json-check.ts';
import { COMPARED_JSON, isJsonOf } from '../../convert/same-json.ts';
import { isBytes, isSameValue, type StoredValue } from '../../convert/stored-value.ts';
import { type EntityValues, perShape, type Slot } from '../../convert/entity-values.ts';
import type { InputRow } from '../../run.ts';
import type { Attempt } from '../../write/attempt.ts';
import type { CurrentRow, EntityWrite } from '../../write/outcome.ts';
import { keyId } from './current-rows.ts';
import { lookUpAll, type RowsByKey } from './references.ts';

/**
 * Takes out values equal to what the client would read: a client that sends back what it read changes nothing, also where the answer says less than
 * the row holds (NaN and a reference to no entity read as null). References are looked up by one statement for each relation.
 */
export async function withoutRepetitions(
  items: readonly EntityWrite[],
  attempt: Attempt,
): Promise<void> {
  const leading = await leadingReferences(items, attempt);
  for (const item of items) {
    const { given, current } = item;
    if (current === null) continue;
    const repeated = given.shape.slots.map((_, at) => isRepeated(given, at, current, leading));
    if (!repeated.includes(true)) continue;
    item.given = given.revised((_, at) => (repeated[at] === true ? null : undefined));
  }
}

function isRepeated(
  given: EntityValues,
  at: number,
  row: CurrentRow,
  found: ReadonlyMap<Relation, RowsByKey>,
): boolean {
  const slot = given.shape.slots[at];
  if (slot === undefined) return false;
  const { clearing, leading, column } = slot;
  const value = given.values[at] ?? null;
  if (clearing !== undefined) {
    const reference = referenceOf(clearing, row);
    if (reference.includes(null)) return true;
    return isLookedUp(clearing) && found.get(clearing)?.has(keyId(reference)) === false;
  }
  if (leading !== undefined) {
    const [hop] = leading.hops;
    const part = hop.from.indexOf(column);
    const type = hop.to[part]?.type;
    const text = found.get(leading)?.get(keyId(referenceOf(leading, row)))?.[part];
    return type !== undefined && text !== undefined && isSameValue(text, value, type);
  }
  const bodyValue = given.sent(at);
  return bodyValue !== undefined && isAnswered(slot, value, bodyValue, row);
}

/** Whether the value in a body is the answer for the attribute. */
function isAnswered(
  { column, type }: Slot,
  value: StoredValue,
  bodyValue: JsonValue,
  row: CurrentRow,
): boolean {
  const isJson = type.kind === 'json' && type.items === undefined;
  const written = isJson && typeof value === 'string' ? value : undefined;
  if (written !== undefined || type.kind === 'text' || type.kind === 'opaque') {
    const current = row.column(column.name);
    if (isLong(current) || isLong(bodyValue)) return isLongAnswered(current, bodyValue, written);
  }
  const answered = row.json(column.name);
  return answered !== null && isJsonOf(answered, bodyValue, written);
}

/** Longer values are neither written as JSON nor compared in parts, which would block the event loop. */
function isLong(value: JsonValue): boolean {
  return typeof value === 'string' && value.length > COMPARED_JSON;
}

/** @param written the value as JSON text, where it is stored as such */
function isLongAnswered(current: string | null, bodyValue: JsonValue, written?: string): boolean {
  if (current === null) return bodyValue === null;
  if (current === written) return true;
  // The check mostly ends at the first few characters of text that is not JSON.
  return current === bodyValue && (written === undefined || !atOnce(jsonCheck(current)));
}

/** Looks up references where only the engine can tell whether a body repeats them. */
async function leadingReferences(
  items: readonly EntityWrite[],
  attempt: Attempt,
): Promise<ReadonlyMap<Relation, RowsByKey>> {
  const wanted = new Map<Relation, InputRow[]>();
  for (const { given, current } of items) {
    if (current === null) continue;
    for (const relation of referringRelations(given.shape)) {
      const reference = referenceOf(relation, current);
      if (reference.includes(null) || !needsLookup(relation, given, current)) continue;
      addTo(wanted, relation, reference);
    }
  }
  return lookUpAll('referred', wanted, attempt);
}

/** The relations to one that the slots of a shape are of. */
const referringRelations = perShape(
  ({ slots }): ReadonlySet<Relation> =>
    new Set(slots.flatMap(({ clearing, leading }) => clearing ?? leading ?? [])),
);

/** Whether the row's reference may read as the null that it is given, or lead to the entity that it is given in another spelling. */
function needsLookup(
  relation: Relation,
  { shape, values }: EntityValues,
  row: CurrentRow,
): boolean {
  const led = [...shape.slots.entries()].filter(([, { leading }]) => leading === relation);
  if (led.length === 0) return isLookedUp(relation);
  const spellings = led.map(([at, { column, type }]) => {
    const value = values[at] ?? null;
    const current = row.column(column.name);
    if (isSameValue(current, value, type)) return 'same';
    const isText = type.kind === 'text' && current !== null && value !== null && !isBytes(value);
    return isText && mayBeSameText(current, value) ? 'like' : 'other';
  });
  return spellings.includes('like') && !spellings.includes('other');
}

const alike = new Intl.Collator('und', { sensitivity: 'base' });

/** Whether two texts may be equal under some collation: apart from case, accents and blanks at the end. */
function mayBeSameText(one: string, other: string): boolean {
  return alike.compare(withoutPadding(one), withoutPadding(other)) === 0;
}

/** Whether a reference is read from the row that it leads to, not from its own columns. */
function isLookedUp({ target, hops }: Relation): boolean {
  const isDirect = target.key.every(({ column }) =>
    hops[0].to.some(({ name }) => name === column.name),
  );
  return target.where !== null || !isDirect;
}

function referenceOf({ hops }: Relation, row: CurrentRow): readonly (string | null)[] {
  return hops[0].from.map(({ name }) => row.column(name));
}
