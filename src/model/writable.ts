import {
  type Dataclass,
  isRelation,
  isStored,
  mayChange,
  type Relation,
  type StorageAttribute,
  takesLists,
} from './types.ts';
import { fillsIn, needsValue } from '../schema/type-rules.ts';
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
  const { key, stamp, timestamp, table } = dataclass;
  const own = new Set([timestamp?.name, 'column' in stamp ? stamp.column.name : undefined]);
  const isNeeded = (column: Column): boolean => needsValue(column, table) && !own.has(column.name);
  const members = writableMembers(dataclass);
  const byAttribute = new Set(members.filter(isStored).map(({ column }) => column.name));
  const byRelation = new Set(
    members.flatMap((member) =>
      member.kind === 'relatedEntity' ? member.hops[0].from.map(({ name }) => name) : [],
    ),
  );
  // GUIDs of keys are made by the gateway.
  const isMade = ({ name, type }: StorageAttribute): boolean =>
    type === 'uuid' && key.some((part) => part.name === name);
  const isRequired = (member: StorageAttribute | Relation): boolean => {
    if (isStored(member)) {
      return isNeeded(member.column) && !byRelation.has(member.column.name) && !isMade(member);
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

/** Whether null can be sent for an attribute: the column takes it, or the database may fill the column in. */
export function takesNull({ column }: StorageAttribute, { table }: Dataclass): boolean {
  return column.nullable || fillsIn(table);
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
