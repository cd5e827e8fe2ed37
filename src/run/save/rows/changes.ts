import { addTo } from '../../../base/collections.ts';
import { ProtocolError } from '../../../base/errors.ts';
import { withoutPadding } from '../../../base/text.ts';
import { atOnce } from '../../../base/time-slice.ts';
import { type Dataclass, isStored, type Relation } from '../../../model/types.ts';
import { restrictedRelations } from '../../../plan/write/save.ts';
import type { AssignedColumn } from '../../../plan/write/write-queries.ts';
import type { JsonValue } from '../../../protocol/body/json-value.ts';
import { fillsIn, needsValue } from '../../../schema/type-rules.ts';
import type { Column } from '../../../schema/types.ts';
import { jsonCheck } from '../../../sql/json-check.ts';
import { entityName, noRelatedEntity } from '../../body/entity-key.ts';
import { addRelated, readOnlyError } from '../../body/slots.ts';
import { COMPARED_JSON, isJsonOf } from '../../convert/same-json.ts';
import { isBytes, isSameValue, type StoredValue } from '../../convert/stored-value.ts';
import { EntityValues, perShape, type Shape, type Slot } from '../../convert/entity-values.ts';
import type { PlannedEntity } from '../../convert/types.ts';
import { cellText, type InputRow } from '../../run.ts';
import type { Attempt } from '../../write/attempt.ts';
import { type Element, failed, type OrFailed } from '../../write/outcome.ts';
import type { WriteKind } from '../../write/violation.ts';
import { consequence, withConsequence } from '../../write/write-errors.ts';
import { type CurrentRow, keyId, type WithRow } from './current-rows.ts';
import type { Lookup } from './write-statements.ts';

/** The slots of a shape that are for one column, by their places in the order of the body. */
export interface SameColumn {
  readonly column: Column;
  readonly places: readonly [first: number, ...others: number[]];
}

/** Groups the slots of a shape by column, in table order, so that equal sets of columns make equal statements. */
export const byColumn = perShape(({ slots }): readonly SameColumn[] => {
  const groups = new Map<string, { column: Column; places: [number, ...number[]] }>();
  for (const [at, { column }] of slots.entries()) {
    const group = groups.get(column.name);
    if (group === undefined) groups.set(column.name, { column, places: [at] });
    else group.places.push(at);
  }
  return [...groups.values()].sort((a, b) => a.column.position - b.column.position);
});

/** What is the same for the new rows of a shape. */
interface NewRow {
  /** The columns that are written, in table order. */
  readonly columns: readonly AssignedColumn[];
  readonly groups: readonly NewColumn[];
  /** Says that a needed value is missing; null where none is. */
  readonly missing: (() => ProtocolError) | null;
  /** Whether the rows of the shape differ in their values alone, and nothing can stand against one. */
  readonly isPlain: boolean;
}

interface NewColumn {
  readonly places: SameColumn['places'];
  /** Why it is given no value; null where it may be given one. */
  readonly mistake: (() => ProtocolError) | null;
}

const newRowOf = perShape((shape): NewRow => {
  const { slots, nulls, dataclass } = shape;
  // Null for what the database fills in is no value.
  const isLeftOut = ({ column, readOnly }: Slot): boolean =>
    readOnly !== null ||
    isOfKey(column, dataclass) ||
    column.hasDefault ||
    (!column.nullable && fillsIn(dataclass.table));
  const isWanted = (at: number): boolean => {
    const slot = slots[at];
    return slot !== undefined && (nulls[at] === false || !isLeftOut(slot));
  };
  const columns: AssignedColumn[] = [];
  const groups: NewColumn[] = [];
  for (const { places } of byColumn(shape)) {
    const [first, ...others] = places.filter(isWanted);
    const slot = first === undefined ? undefined : slots[first];
    if (first === undefined || slot === undefined) continue;
    const { readOnly } = slot;
    const mistake =
      readOnly !== null
        ? () => readOnlyError(slot, readOnly)
        : nulls[first] === true && !slot.column.nullable
          ? () => mandatory(slot.member)
          : null;
    columns.push(assigned(slot, nulls[first] === true));
    groups.push({ places: [first, ...others], mistake });
  }
  const missing = missingMember(columns, dataclass);
  return {
    columns,
    groups,
    missing: missing === null ? null : () => mandatory(`${dataclass.name}.${missing}`),
    isPlain:
      missing === null &&
      groups.every(({ places, mistake }) => mistake === null && places.length === 1),
  };
});

/** A column that is given a value by a slot. */
export function assigned({ column, type }: Slot, isNull: boolean): AssignedColumn {
  return { column, type, from: type.kind === 'binary' && !isNull ? 'bytes' : 'cell' };
}

/** The columns of the new rows of a shape. */
export function newRowColumns(shape: Shape): readonly AssignedColumn[] {
  return newRowOf(shape).columns;
}

/** The columns of a new row, and their values. @throws ProtocolError readOnlyAttribute, mandatoryMissing, or keyMismatch for two values of a column */
export function newColumns(given: EntityValues): Pick<WrittenRow, 'columns' | 'cells'> {
  const { shape, values, doubts } = given;
  const { columns, groups, missing, isPlain } = newRowOf(shape);
  for (const { refusal } of doubts?.values() ?? []) if (refusal !== undefined) throw refusal;
  const cells: StoredValue[] = [];
  for (const { places, mistake } of groups) {
    const [first, ...others] = places;
    const value = values[first] ?? null;
    cells.push(value);
    if (isPlain && doubts === null) continue;
    if (mistake !== null) throw mistake();
    checkReference(given, first);
    const other = others.find((at) => !isSameGiven(given, first, at));
    if (other !== undefined) throw contradiction(shape, first, other);
  }
  if (missing !== null) throw missing();
  return { columns, cells };
}

/** The first attribute or relation whose column needs a value and has none. */
function missingMember(
  present: readonly { readonly column: Column }[],
  { members, table }: Dataclass,
): string | null {
  const isMissing = (column: Column): boolean =>
    needsValue(column, table) && !present.some((value) => value.column.name === column.name);
  for (const member of members.values()) {
    if (isStored(member)) {
      if (member.readOnly === null && isMissing(member.column)) return member.name;
    } else if (member.kind === 'relatedEntity' && member.hops[0].from.some(isMissing)) {
      return member.name;
    }
  }
  return null;
}

/**
 * The place of the value that a save gives each column of an existing row, see {@link byColumn}; null for a column that stays as it is. Where an
 * attribute and a relation give one column two values, the one that it already holds does not count: clients send back what they read.
 */
export function changedPlaces(
  given: EntityValues,
  currentText: (column: Column) => string | null,
): (number | null)[] {
  const { shape, values, doubts } = given;
  const { slots, nulls, dataclass } = shape;
  return byColumn(shape).map(({ column, places }) => {
    const refusal = places.map((at) => doubts?.get(at)?.refusal).find((one) => one !== undefined);
    if (refusal !== undefined) throw refusal;
    const current = currentText(column);
    const [first, ...others] = places.filter((at) => {
      const type = slots[at]?.type;
      return type !== undefined && !isSameValue(current, values[at] ?? null, type);
    });
    const slot = first === undefined ? undefined : slots[first];
    if (first === undefined || slot === undefined) return null;
    const filled = places.find((at) => slots[at]?.filled === true);
    if (filled !== undefined && !isSameGiven(given, first, filled)) {
      throw contradiction(shape, first, filled);
    }
    if (isOfKey(column, dataclass)) {
      throw readOnlyError(slot, 'it is part of the key, and the key of an entity does not change');
    }
    if (slot.readOnly !== null) throw readOnlyError(slot, slot.readOnly);
    const other = others.find((at) => !isSameGiven(given, first, at));
    if (other !== undefined) throw contradiction(shape, first, other);
    if (nulls[first] === true && !column.nullable) throw mandatory(slot.member);
    checkReference(given, first);
    return first;
  });
}

function isOfKey({ name }: Column, { key }: Dataclass): boolean {
  return key.some(({ column }) => column.name === name);
}

function isSameGiven({ shape, values }: EntityValues, one: number, other: number): boolean {
  const [a = null, b = null] = [values[one], values[other]];
  const type = shape.slots[one]?.type;
  if (isBytes(a) || isBytes(b) || type === undefined) return a === b;
  return isSameValue(a, b, type);
}

function contradiction({ slots }: Shape, at: number, otherAt: number): ProtocolError {
  const [one, other] = [slots[at], slots[otherAt]];
  const message = `${one?.member ?? ''} and ${other?.member ?? ''} say different things of the same value: send one of them.`;
  return new ProtocolError('keyMismatch', message).about(one?.own ?? one?.member ?? '');
}

/** @throws ProtocolError brokenReference for a value that is a reference to no entity */
function checkReference({ shape, doubts }: EntityValues, at: number): void {
  const dangling = doubts?.get(at)?.dangling;
  if (dangling === undefined) return;
  throw new ProtocolError('brokenReference', dangling).about(shape.slots[at]?.member ?? '');
}

function mandatory(member: string): ProtocolError {
  const message = `${member} is mandatory: it needs a value.`;
  return new ProtocolError('mandatoryMissing', message).about(member);
}

/**
 * Takes out values equal to what the client would read: a client that sends back what it read changes nothing, also where the answer says less than
 * the row holds (NaN and a reference to no entity read as null). References are looked up by one statement for each relation.
 */
export async function withoutRepetitions<Entity extends PlannedEntity>(
  found: readonly WithRow<Entity>[],
  attempt: Attempt,
): Promise<readonly WithRow<Entity>[]> {
  const leading = await leadingReferences(found, attempt);
  return found.map(([entity, row]): WithRow<Entity> => {
    if (row === null) return [entity, row];
    const { given } = entity;
    const repeated = given.shape.slots.map((_, at) => isRepeated(given, at, row, leading));
    if (!repeated.includes(true)) return [entity, row];
    const others = given.revised((_, at) => (repeated[at] === true ? null : undefined));
    return [{ ...entity, given: others }, row];
  });
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
  found: readonly WithRow<PlannedEntity>[],
  attempt: Attempt,
): Promise<ReadonlyMap<Relation, RowsByKey>> {
  const wanted = new Map<Relation, InputRow[]>();
  for (const [{ given }, row] of found) {
    if (row === null) continue;
    for (const relation of referringRelations(given.shape)) {
      const reference = referenceOf(relation, row);
      if (reference.includes(null) || !needsLookup(relation, given, row)) continue;
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

function referenceOf({ hops }: Relation, row: CurrentRow | null): readonly (string | null)[] {
  return hops[0].from.map(({ name }) => row?.column(name) ?? null);
}

/** The rows that were looked up, by the {@link keyId} of the values that they were looked up by. */
export type RowsByKey = ReadonlyMap<string, InputRow>;

/** Looks up what relations lead to, by one statement for each relation. */
export async function lookUpAll(
  lookup: Lookup,
  wanted: ReadonlyMap<Relation, readonly InputRow[]>,
  attempt: Attempt,
): Promise<ReadonlyMap<Relation, RowsByKey>> {
  const found = new Map<Relation, RowsByKey>();
  for (const [relation, keys] of wanted) {
    found.set(relation, await lookUp(lookup, relation, keys, attempt));
  }
  return found;
}

async function lookUp(
  lookup: Lookup,
  relation: Relation,
  keys: readonly InputRow[],
  { dataclass, statements, source }: Attempt,
): Promise<RowsByKey> {
  if (keys.length === 0) return new Map();
  const byId = new Map(keys.map((key) => [keyId(key), key]));
  const ids = [...byId.keys()];
  const statement = statements.lookup(dataclass, lookup, relation);
  const rows = await source.run(statement, { rows: [...byId.values()] });
  return new Map(
    rows.map((row) => {
      const [, ...texts] = row.map((_, at) => cellText(statement, row, at));
      return [ids[Number(row[0])] ?? '', texts];
    }),
  );
}

/** Looks up related entities that no foreign key checks, and adds the values of the relations' columns; an entity fails where one does not exist. */
export async function resolveReferences(
  entities: readonly PlannedEntity[],
  attempt: Attempt,
): Promise<OrFailed<PlannedEntity>[]> {
  const wanted = new Map<Relation, InputRow[]>();
  for (const { related } of entities) {
    for (const { relation, key } of related) addTo(wanted, relation, key);
  }
  const found = await lookUpAll('related', wanted, attempt);
  return entities.map((entity) => {
    if (entity.related.length === 0) return entity;
    try {
      return { ...entity, given: resolvedValues(entity, found, attempt.dataclass) };
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      return failed(entity, withConsequence(error, entity.key, attempt));
    }
  });
}

function resolvedValues(
  { given, related }: PlannedEntity,
  found: ReadonlyMap<Relation, RowsByKey>,
  dataclass: Dataclass,
): EntityValues {
  let values = given;
  for (const { relation, key } of related) {
    const texts = found.get(relation)?.get(keyId(key));
    const member = `${dataclass.name}.${relation.name}`;
    const isKnown = values.shape.slots.some((slot) => slot.member === member);
    if (texts?.includes(null) === true) {
      const message = `${member} stands on a value that ${entityName(relation.target, key)} does not have: nothing can refer to it.`;
      throw new ProtocolError('keyIsNull', message).about(member);
    }
    if (texts !== undefined) {
      if (isKnown) continue;
      const led = new EntityValues(dataclass);
      addRelated(relation, texts, led);
      values = values.followedBy(led);
      continue;
    }
    const dangling = noRelatedEntity(member, relation.target, key);
    // A reference to an entity that the user cannot see is read as null: a client that sends its key has guessed it.
    if (!isKnown || relation.target.where !== null) {
      throw new ProtocolError('brokenReference', dangling).about(member);
    }
    // A reference that already leads nowhere may be sent back as it was read.
    const known: EntityValues = values;
    values = known.revised((slot, at) =>
      slot.member === member ? { value: known.values[at] ?? null, doubt: { dangling } } : undefined,
    );
  }
  return values;
}

/** An element that is about to be written. */
export interface WrittenRow {
  readonly element: Element;
  readonly columns: readonly AssignedColumn[];
  /** The values of the columns. */
  readonly cells: readonly StoredValue[];
  /** Whether a column changes, by its place; all do where it is left out. */
  readonly changed?: readonly boolean[];
  /** The row that is changed; left out of a new one. */
  readonly current?: CurrentRow;
  /** The values that the body gives, changed or not. */
  readonly given: EntityValues;
}

/** The columns of all relations to one whose targets are restricted: they tell where the relations lead. */
export function restrictedColumns(dataclass: Dataclass): Column[] {
  return restrictedRelations(dataclass).flatMap(({ hops }) => hops[0].from);
}

/** Refuses references to rows outside of a restriction, which no foreign key knows. */
export async function refuseRestricted<Item extends WrittenRow>(
  items: readonly Item[],
  kind: WriteKind,
  attempt: Attempt,
): Promise<readonly OrFailed<Item>[]> {
  const { dataclass, nested } = attempt;
  const refused = new Map<Item, ProtocolError>();
  for (const relation of restrictedRelations(dataclass)) {
    // It leads to the entity that holds these, which is judged together with them.
    if (relation.name === nested?.inverse) continue;
    const references = items.map((item) => newReference(relation, item));
    const keys = references.filter((reference) => reference !== null);
    const found = await lookUp('referred', relation, keys, attempt);
    for (const [at, item] of items.entries()) {
      const reference = references[at] ?? null;
      if (reference === null || found.has(keyId(reference))) continue;
      const member = `${dataclass.name}.${relation.name}`;
      const message =
        `${member} refers to an entity that does not exist:` +
        ` there is no ${relation.target.name}(${reference.join(';')}).`;
      const error = new ProtocolError('brokenReference', message).about(member);
      refused.set(item, error.leadingTo(consequence(kind, item.element.key, dataclass)));
    }
  }
  return items.map((item) => {
    const error = refused.get(item);
    return error === undefined ? item : failed(item.element, error);
  });
}

/**
 * The reference of a relation once the item is written; null where it is null or unchanged. One that the body gives through the relation is looked
 * up in any case: the user reads hidden entities as null, so that their keys can only be guessed.
 */
function newReference(
  relation: Relation,
  { columns, cells, changed, current, given }: WrittenRow,
): readonly string[] | null {
  const [{ from }] = relation.hops;
  const places = from.map(({ name }) =>
    columns.findIndex(({ column }, at) => column.name === name && changed?.[at] !== false),
  );
  const isLed = current !== undefined && leads(given.shape, relation);
  if (!isLed && places.every((at) => at < 0)) return null;
  const parts = from.map(({ name }, part) => {
    const at = places[part] ?? -1;
    return at < 0 ? current?.column(name) : cells[at];
  });
  return parts.every((part) => typeof part === 'string') ? parts : null;
}

/** Whether a shape gives an entity to a relation. */
function leads({ slots, nulls }: Shape, relation: Relation): boolean {
  return slots.some(({ leading }, at) => leading === relation && nulls[at] === false);
}
