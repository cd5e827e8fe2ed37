import {
  type Dataclass,
  isRelation,
  isStored,
  mayChange,
  type Relation,
  type StorageAttribute,
  takesLists,
} from './types.ts';
import { needsValue } from '../schema/type-rules.ts';
import type { Column } from '../schema/types.ts';

/** Whether clients may create entities of a dataclass. */
export function isCreated(dataclass: Dataclass): boolean {
  return mayChange(dataclass, 'create');
}

/** Whether clients may change entities of a dataclass. */
export function isUpdated(dataclass: Dataclass): boolean {
  return mayChange(dataclass, 'update') && dataclass.key.length > 0;
}

/** The attributes and relations that a body may set. */
export function writableMembers({ members }: Dataclass): (StorageAttribute | Relation)[] {
  return [...members.values()].filter((member): member is StorageAttribute | Relation => {
    if (member.readOnly !== null) return false;
    if (isStored(member)) return member.kind === 'storage';
    return member.kind === 'relatedEntity' || (isRelation(member) && takesLists(member));
  });
}

/** The attributes and relations without which no entity is created. Of an attribute and a relation on one column either will do, which no type says. */
export function requiredMembers(dataclass: Dataclass): ReadonlySet<string> {
  const { stamp, timestamp, table } = dataclass;
  const own = new Set([timestamp?.name, 'column' in stamp ? stamp.column.name : undefined]);
  const isNeeded = (column: Column): boolean => needsValue(column, table) && !own.has(column.name);
  const members = writableMembers(dataclass);
  const byAttribute = new Set(members.filter(isStored).map(({ column }) => column.name));
  const byRelation = new Set(
    members.flatMap((member) =>
      member.kind === 'relatedEntity' ? member.hops[0].from.map(({ name }) => name) : [],
    ),
  );
  const isRequired = (member: StorageAttribute | Relation): boolean => {
    if (isStored(member)) {
      const { name } = member.column;
      return !takesNull(member, dataclass) && !own.has(name) && !byRelation.has(name);
    }
    if (member.kind === 'relatedEntities') return false;
    return member.hops[0].from.some((column) => isNeeded(column) && !byAttribute.has(column.name));
  };
  return new Set(members.filter(isRequired).map(({ name }) => name));
}

/** The columns without a value of which the database takes no new row, and which nothing sets: neither the database nor the gateway nor an attribute. */
export function unsetColumns(dataclass: Dataclass): Column[] {
  const { table, key, stamp, timestamp, members, stored } = dataclass;
  const set = new Set([...key, ...stored.values()].map(({ column }) => column.name));
  if (stamp.kind === 'counter') set.add(stamp.column.name);
  if (timestamp !== null) set.add(timestamp.name);
  for (const member of members.values()) {
    if (member.kind === 'relatedEntity') for (const { name } of member.hops[0].from) set.add(name);
  }
  return table.columns.filter((column) => needsValue(column, table) && !set.has(column.name));
}

/** Whether bodies may have null for an attribute or a relation to one: it may be read, or the database or the gateway may fill in what is left out. */
export function takesNull(member: StorageAttribute | Relation, dataclass: Dataclass): boolean {
  const isNeeded = (column: Column): boolean => needsValue(column, dataclass.table);
  if (isStored(member)) {
    // GUIDs of keys are made by the gateway.
    const isMade = member.type === 'uuid' && dataclass.key.some(({ name }) => name === member.name);
    return isMade || !isNeeded(member.column);
  }
  return !isCertain(member, dataclass) || !member.hops[0].from.some(isNeeded);
}

/** Whether a relation to one leads to an entity that is there and seen, whatever the row. */
export function isCertain(relation: Relation, { table }: Dataclass): boolean {
  const [{ from }] = relation.hops;
  const isEnforced = table.foreignKeys.some(
    ({ columns, unenforced }) =>
      unenforced !== true &&
      columns.length === from.length &&
      columns.every((name) => from.some((column) => column.name === name)),
  );
  return isEnforced && relation.target.where === null && from.every(({ nullable }) => !nullable);
}
