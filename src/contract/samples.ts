import { isComparable } from '../schema/type-rules.ts';
import type { ColumnType } from '../schema/types.ts';
import {
  attributeOf,
  type Dataclass,
  isRelation,
  type Member,
  type StorageAttribute,
} from '../model/types.ts';
import { isUnique } from '../plan/condition/keys.ts';
import type { JsonObject } from './json-schema.ts';
import { plausibleDecimal, plausibleText } from './plausible.ts';

/** A value of a type, for examples. @param name what it is, and @param owner the dataclass that it belongs to, from which texts are made */
export function sampleValue(type: ColumnType, name: string, owner = ''): unknown {
  switch (type.kind) {
    case 'boolean':
      return true;
    case 'integer':
      return 1;
    case 'decimal':
      return plausibleDecimal(type.precision, type.scale);
    case 'float':
      return 0.5;
    case 'text':
      return plausibleText(name, type.maxLength, owner);
    case 'opaque':
      return type.values?.[0] ?? plausibleText(name, null, owner);
    case 'uuid':
      return 'c0ffee00-0000-4000-8000-000000000001';
    case 'date':
      return '2024-07-14';
    case 'timestamp':
      return '2024-07-14T09:30:00.000Z';
    case 'time':
      return '08:30:00';
    case 'hex':
      return '0A1B';
    case 'binary':
      return 'AAEC';
    case 'json':
      return type.items === undefined ? { level: 3 } : [];
  }
}

/** An attribute's value as an answer has it. */
export function sampleOf(attribute: StorageAttribute, owner: Dataclass): unknown {
  const { columnType, name, simpleDate } = attribute;
  return simpleDate && columnType.kind === 'date'
    ? '14!7!2024'
    : sampleValue(columnType, name, owner.name);
}

/** The key of an entity as it stands in a URL. */
export function sampleKey({ key, name }: Dataclass): string {
  return key.map((part) => String(sampleValue(part.columnType, part.name, name))).join(';');
}

/** The value of `__KEY` in an answer. */
export function sampleKeyText({ key, name }: Dataclass): string {
  const [only, ...more] = key;
  const valueOf = (part: StorageAttribute): unknown =>
    sampleValue(part.columnType, part.name, name);
  return only !== undefined && more.length === 0
    ? String(valueOf(only))
    : JSON.stringify(Object.fromEntries(key.map((part) => [part.name, valueOf(part)])));
}

/** The attributes with values, those of other entities not among them. */
export function ownAttributes({ members }: Dataclass): StorageAttribute[] {
  return [...members.values()].filter(
    (member): member is StorageAttribute =>
      (member.kind === 'storage' || member.kind === 'calculated') && !isBinary(member),
  );
}

/** Whether a member is an image or a BLOB. */
export function isBinary(member: Member): boolean {
  if (isRelation(member)) return false;
  const { type } = attributeOf(member);
  return type === 'image' || type === 'blob';
}

/** The attributes by which one entity is found, besides its key. */
export function uniqueAttributes(dataclass: Dataclass): StorageAttribute[] {
  const isKey = ({ name }: StorageAttribute): boolean =>
    dataclass.key.some((part) => part.name === name);
  return ownAttributes(dataclass).filter(
    (attribute) => isUnique(attribute, dataclass) && !isKey(attribute),
  );
}

/** Attributes that filters and orders can name: texts first, which read best. */
function comparable(dataclass: Dataclass): StorageAttribute[] {
  return ownAttributes(dataclass)
    .filter(({ columnType, type }) => isComparable(columnType) && type !== 'object')
    .toSorted((a, b) => Number(b.type === 'string') - Number(a.type === 'string'));
}

/** A `$filter` on a dataclass; null where nothing of it can be compared. */
export function sampleFilter(dataclass: Dataclass): string | null {
  const [attribute] = comparable(dataclass);
  if (attribute === undefined) return null;
  const { name, columnType } = attribute;
  return columnType.kind === 'text' ? `${name} begin A` : `${name} != null`;
}

/** An `$orderby`; null where nothing can be sorted. */
export function sampleOrder(dataclass: Dataclass): string | null {
  const [first, second] = comparable(dataclass);
  if (first === undefined) return null;
  return second === undefined ? `${first.name} DESC` : `${first.name} DESC, ${second.name}`;
}

/** An `$attributes`: two attributes, and one over a relation to one. */
export function sampleAttributes(dataclass: Dataclass): string {
  const own = ownAttributes(dataclass)
    .slice(0, 2)
    .map(({ name }) => name);
  const over = relationsOf(dataclass).find(({ kind }) => kind === 'relatedEntity');
  const [there] = over === undefined ? [] : ownAttributes(over.target);
  const path = over === undefined || there === undefined ? [] : [`${over.name}.${there.name}`];
  const all = [...own, ...path];
  return all.length === 0 ? '*' : all.join(',');
}

/** The relations of a dataclass. */
export function relationsOf({ members }: Dataclass): Extract<Member, { hops: unknown }>[] {
  return [...members.values()].filter(isRelation);
}

/** An entity of a save: key, stamp and an attribute that it changes. Without a key, a new entity. */
export function sampleSave(dataclass: Dataclass): JsonObject {
  const { key } = dataclass;
  const isKey = ({ name }: StorageAttribute): boolean => key.some((part) => part.name === name);
  const writable = ownAttributes(dataclass).filter((one) => one.readOnly === null && !isKey(one));
  const changed = writable.find(({ type }) => type === 'string') ?? writable[0];
  return {
    ...(key.length === 0 ? {} : { __KEY: sampleKeyText(dataclass), __STAMP: 1 }),
    ...(changed === undefined ? {} : { [changed.name]: sampleOf(changed, dataclass) }),
  };
}
