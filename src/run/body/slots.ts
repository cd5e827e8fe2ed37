import { randomUUID } from 'node:crypto';
import { ProtocolError } from '../../base/errors.ts';
import { withoutPadding } from '../../base/text.ts';
import { whyFilledIn } from '../../model/attributes.ts';
import {
  type Dataclass,
  isStored,
  type Relation,
  relationsOf,
  type StorageAttribute,
  takesLists,
} from '../../model/types.ts';
import { isJsonArray, isJsonObject, type JsonValue } from '../../protocol/body/json.ts';
import { differingPair, losesPadding } from '../../schema/type-rules.ts';
import type { Column } from '../../schema/types.ts';
import { relatedKey } from './entity-key.ts';
import { ConversionError } from '../convert/conversion-error.ts';
import { EntityValues, type Shape, type Slot } from '../convert/entity-values.ts';
import { storedNumber } from '../convert/stored-value.ts';
import type { EntityContext, KeyTexts, PlannedEntity, RelatedEntity } from '../convert/types.ts';

const attributeSlots = new WeakMap<StorageAttribute, Slot>();

/** The slot of an attribute. */
export function attributeSlot(attribute: StorageAttribute, { name: dataclass }: Dataclass): Slot {
  const known = attributeSlots.get(attribute);
  if (known !== undefined) return known;
  const { column, columnType: type, name, readOnly } = attribute;
  const slot: Slot = { column, type, member: `${dataclass}.${name}`, readOnly };
  attributeSlots.set(attribute, slot);
  return slot;
}

/** An existing entity with bytes for one image or BLOB, whatever its stamp. */
export function uploadedEntity(
  attribute: StorageAttribute,
  key: KeyTexts,
  bytes: Uint8Array,
  dataclass: Dataclass,
): PlannedEntity {
  const given = new EntityValues(dataclass);
  given.add(attributeSlot(attribute, dataclass), bytes);
  return {
    index: 0,
    key,
    ownKey: null,
    stamp: null,
    given,
    related: [],
    nested: [],
    denied: null,
  };
}

/**
 * Reads the value of a relation to one, a key for its columns, into the values of an entity. @param named tells the columns to which attributes of the
 * body give a value
 * @returns the related entity where it has to be looked up
 */
export function readRelation(
  relation: Relation,
  value: JsonValue,
  named: () => ReadonlySet<string>,
  into: EntityValues,
  { dataclass, limits }: Pick<EntityContext, 'dataclass' | 'limits'>,
): RelatedEntity | null {
  const member = `${dataclass.name}.${relation.name}`;
  if (relation.kind === 'relatedEntities') {
    if (isAsRead(value, relation.target)) return null;
    if (relation.readOnly !== null) throw readOnlyError({ member }, relation.readOnly);
    throw new ProtocolError(
      'readOnlyAttribute',
      takesLists(relation)
        ? `${member} leads to many entities: expected a list of those to save along with this one.`
        : `${member} leads to many entities and cannot be written from here: set the relation in each of them.`,
    );
  }
  const key = relatedKey(value, relation.target, member, limits);
  if (key !== null) return leadTo(relation, key, into);
  const slots = clearingSlots(relation, dataclass);
  for (const { name } of clearedColumns(relation, dataclass, named())) {
    const slot = slots.get(name);
    if (slot !== undefined) into.add(slot, null);
  }
  return null;
}

/**
 * Relates an entity to the one of a key, as far as that tells the values. @returns the related entity where it has to be looked up
 * @throws ProtocolError where a column cannot hold a value
 */
export function leadTo(
  relation: Relation,
  key: KeyTexts,
  into: EntityValues,
): RelatedEntity | null {
  const { links, parts, isEnforced } = leadingLinks(relation, into.shape.dataclass);
  if (parts !== null) {
    for (const [at, link] of links.entries()) addLinked(link, key[parts[at] ?? 0] ?? null, into);
  }
  return isEnforced ? null : { relation, key };
}

/** A column that a relation pairs with one of the related entity, and gives that one's values. */
interface Link {
  readonly slot: Slot;
  /** Where the columns are of different types: both. */
  readonly pair: ReturnType<typeof differingPair>;
}

/** How a relation to one gives its columns values. */
interface LeadingLinks {
  readonly links: readonly Link[];
  /** The parts of the related entity's key that are the values; null where others are. */
  readonly parts: readonly number[] | null;
  /** Whether a foreign key guarantees that the entity of a key exists whose parts are the values. */
  readonly isEnforced: boolean;
}

const leading = new WeakMap<Dataclass, Map<Relation, LeadingLinks>>();
const owning = new WeakMap<Dataclass, Map<Relation, readonly Link[]>>();
const clearing = new WeakMap<Dataclass, Map<Relation, ReadonlyMap<string, Slot>>>();

/** The slots by which null for a relation clears its columns, by their names. */
function clearingSlots(relation: Relation, dataclass: Dataclass): ReadonlyMap<string, Slot> {
  return known(clearing, dataclass, relation, () => {
    const member = `${dataclass.name}.${relation.name}`;
    return new Map(
      relation.hops[0].from.map((column) => {
        const readOnly = relation.readOnly ?? whyReadOnly(column, dataclass);
        return [column.name, { column, type: column.type, member, readOnly, clearing: relation }];
      }),
    );
  });
}

/** What is known of a relation of a dataclass; users see different dataclasses of one name. */
function known<Known>(
  all: WeakMap<Dataclass, Map<Relation, Known>>,
  dataclass: Dataclass,
  relation: Relation,
  make: () => Known,
): Known {
  let ofDataclass = all.get(dataclass);
  if (ofDataclass === undefined) all.set(dataclass, (ofDataclass = new Map<Relation, Known>()));
  let one = ofDataclass.get(relation);
  if (one === undefined) ofDataclass.set(relation, (one = make()));
  return one;
}

function leadingLinks(relation: Relation, dataclass: Dataclass): LeadingLinks {
  return known(leading, dataclass, relation, () => {
    const [{ from, to }] = relation.hops;
    const parts = to.map(({ name }) =>
      relation.target.key.findIndex(({ column }) => column.name === name),
    );
    const isDirect = !parts.includes(-1);
    const links = linksOf(from, to, dataclass, `${dataclass.name}.${relation.name}`);
    return {
      links: links.map(({ slot, pair }) => {
        const readOnly = relation.readOnly ?? slot.readOnly;
        return { slot: { ...slot, leading: relation, readOnly }, pair };
      }),
      parts: isDirect ? parts : null,
      isEnforced: isDirect && isEnforced(relation, dataclass),
    };
  });
}

/** Whether the value of a relation to many has the form of an answer: deferred, a collection, or an array (`$asArray`). */
function isAsRead(value: JsonValue, { key }: Dataclass): boolean {
  if (isJsonArray(value)) {
    return value.every((item) => isJsonObject(item) && ('__STAMP' in item || key.length === 0));
  }
  return isJsonObject(value) && ('__deferred' in value || '__ENTITYSET' in value);
}

/** Whether a foreign key guarantees that the related entity exists. */
function isEnforced({ hops, target }: Relation, { table }: Dataclass): boolean {
  const [hop] = hops;
  return table.foreignKeys.some(
    ({ columns, targetSchema, targetTable, unenforced }) =>
      unenforced !== true &&
      targetSchema === target.table.schema &&
      targetTable === target.table.name &&
      columns.length === hop.from.length &&
      hop.from.every(({ name }) => columns.includes(name)),
  );
}

/** Adds the values of a related entity for the columns of its relation. @throws ProtocolError where a column cannot hold a value */
export function addRelated(
  relation: Relation,
  texts: readonly (string | null)[],
  into: EntityValues,
): void {
  addAllLinked(leadingLinks(relation, into.shape.dataclass).links, texts, into);
}

/** The values that an entity gives to the columns of the entities in its list. `texts` are its own values of the columns they refer to. */
export function ownedValues(
  relation: Relation,
  texts: readonly (string | null)[],
  owner: Dataclass,
): EntityValues {
  const links = known(owning, owner, relation, () => {
    const { name, target, hops } = relation;
    const [{ from, to }] = hops;
    const back = relationsOf(target).find((member) => isSameWay(member, to));
    const own = back === undefined ? undefined : `${target.name}.${back.name}`;
    return linksOf(to, from, target, `${owner.name}.${name}`).map(({ slot, pair }): Link => {
      const readOnly = slot.readOnly ?? back?.readOnly ?? null;
      return { slot: { ...slot, filled: true, own, readOnly }, pair };
    });
  });
  const values = new EntityValues(relation.target);
  addAllLinked(links, texts, values);
  return values;
}

/** Whether a relation to one stands on some columns, in any order. */
function isSameWay({ kind, hops }: Relation, columns: readonly Column[]): boolean {
  const [{ from }] = hops;
  return (
    kind === 'relatedEntity' &&
    from.length === columns.length &&
    from.every(({ name }) => columns.some((column) => column.name === name))
  );
}

/** The links to the columns that a relation pairs with those of a source. */
function linksOf(
  columns: readonly Column[],
  sources: readonly Column[],
  dataclass: Dataclass,
  member: string,
): Link[] {
  return columns.map((column, index) => {
    const source = sources[index];
    return {
      slot: { column, type: column.type, member, readOnly: whyReadOnly(column, dataclass) },
      pair: source === undefined ? null : differingPair(source.type, column.type),
    };
  });
}

function addAllLinked(
  links: readonly Link[],
  texts: readonly (string | null)[],
  into: EntityValues,
): void {
  for (const [at, link] of links.entries()) addLinked(link, texts[at] ?? null, into);
}

function addLinked({ slot, pair }: Link, text: string | null, into: EntityValues): void {
  into.add(slot, text === null || pair === null ? text : paired(text, pair, slot));
}

/** The text of a related entity's value as a column of another type has it. @throws ProtocolError where it cannot hold it */
function paired(text: string, pair: NonNullable<Link['pair']>, slot: Slot): string {
  if (losesPadding(pair.from, pair.to)) return withoutPadding(text);
  try {
    return storedNumber(text, slot.type);
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error;
    const message = `"${text}" is not a value for ${slot.member}: expected ${error.message}.`;
    throw new ProtocolError(error.errorName, message).about(slot.member);
  }
}

/** Says why a column is read-only, as its attribute does where it has one; null where it is not. */
function whyReadOnly(column: Column, { members }: Dataclass): string | null {
  const filledIn = whyFilledIn(column);
  if (filledIn !== null) return filledIn;
  for (const member of members.values()) {
    if (isStored(member) && member.column.name === column.name) return member.readOnly;
  }
  return null;
}

/** The error of a value that only the gateway, the database or another user may give. */
export function readOnlyError(
  { member, own = member }: Pick<Slot, 'member' | 'own'>,
  why: string,
): ProtocolError {
  return new ProtocolError('readOnlyAttribute', `${own} is read-only: ${why}.`).about(own);
}

/**
 * Makes the GUIDs of a new entity's key, so that it is known before the save; not those of `filled` columns, which related entities fill.
 * Sequential GUIDs are left to the database, as random ones would scatter its rows:
 * https://learn.microsoft.com/sql/t-sql/functions/newsequentialid-transact-sql
 */
export function addUuids(into: EntityValues, filled: () => readonly Column[]): void {
  const { dataclass } = into.shape;
  for (const attribute of dataclass.key) {
    const { columnType, readOnly, column } = attribute;
    if (columnType.kind !== 'uuid' || readOnly !== null || column.sequentialGuids === true)
      continue;
    if (filled().some(({ name }) => name === column.name) || hasValue(into.shape, column)) continue;
    into.add(attributeSlot(attribute, dataclass), randomUUID());
  }
}

function hasValue({ slots, nulls }: Shape, { name }: Column): boolean {
  return slots.some(({ column }, at) => column.name === name && nulls[at] === false);
}

/**
 * The columns to set to null to clear a relation. One is enough, and others may be shared with another foreign key, the key, or an attribute in
 * the body (`named`). Only columns of this relation alone are cleared; where there are none, or where the body repeats all of them, more are.
 */
function clearedColumns(
  relation: Relation,
  dataclass: Dataclass,
  named: ReadonlySet<string>,
): readonly Column[] {
  const [{ from }] = relation.hops;
  const nullable = from.filter((column) => column.nullable);
  if (nullable.length === 0) return from;
  const held = heldColumns(relation, dataclass);
  const own = nullable.filter((column) => !held.has(column.name) && whyFilledIn(column) === null);
  const silent = own.filter(({ name }) => !named.has(name));
  return [silent, own, nullable].find(({ length }) => length > 0) ?? [];
}

/** The columns of the key, of other relations and of other foreign keys. */
function heldColumns(
  { name: own, hops }: Relation,
  { key, members, table }: Dataclass,
): ReadonlySet<string> {
  const names = hops[0].from.map(({ name }) => name);
  const others = relationsOf({ members }).flatMap(({ name, hops: [{ from }] }) =>
    name === own ? [] : from,
  );
  const foreignKeys = table.foreignKeys.filter(
    ({ columns }) =>
      columns.length !== names.length || !columns.every((name) => names.includes(name)),
  );
  return new Set([
    ...key.map(({ column }) => column.name),
    ...others.map(({ name }) => name),
    ...foreignKeys.flatMap(({ columns }) => columns),
  ]);
}
