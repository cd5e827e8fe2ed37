import { notApplicable } from '../../base/errors.ts';
import { noSuchAttribute } from '../../model/lookup.ts';
import { type Dataclass, isStored, type Member, type StorageAttribute } from '../../model/types.ts';
import type { PathRef } from '../../protocol/ast.ts';
import { isComparable } from '../../schema/type-rules.ts';
import { checkRights } from './rights.ts';

/** A column of a natural key, by the attribute or relation that a URL names for it. */
export type NaturalPart = Pick<StorageAttribute, 'name' | 'column'> & { readonly member: string };

/** Columns whose values find the entity to save, because a unique index is of just these (DECISIONS, "Updates"). */
export interface NaturalKey {
  /** As a URL names it: `company,number`. */
  readonly name: string;
  readonly parts: readonly NaturalPart[];
  /** The names of the indexes, as the database reports their violation. */
  readonly indexes: readonly string[];
}

/**
 * Plans the natural key of a save; null where the URL names none. Entities are found by it or created, so both rights are needed.
 * @throws ProtocolError noSuchAttribute, mayNotCreate, mayNotUpdate, and notApplicable for what has no unique index
 */
export function planNaturalKey(
  paths: readonly PathRef[] | null,
  dataclass: Dataclass,
): NaturalKey | null {
  if (paths === null) return null;
  checkRights(dataclass, 'create');
  checkRights(dataclass, 'update');
  const parts = paths.flatMap(({ names, position }) => {
    const at = { within: '$key', position };
    const [name = '', ...more] = names;
    const member = dataclass.members.get(name);
    if (member === undefined) throw noSuchAttribute(dataclass, name, at);
    const found = more.length > 0 ? [] : partsOf(member, dataclass);
    if (found.length > 0) return found;
    const message = `$key names attributes of ${dataclass.name} that have a column of their own, and relations by the key of what they lead to: ${names.join('.')} is neither`;
    throw notApplicable(message, at);
  });
  const name = paths.map(({ names }) => names.join('.')).join(',');
  const columns = new Set(parts.map(({ column }) => column.name));
  const indexes = uniqueIndexes(dataclass).filter(
    (index) =>
      columns.size === parts.length &&
      index.columns.length === columns.size &&
      index.columns.every((one) => columns.has(one)),
  );
  if (indexes.length > 0) return { name, parts, indexes: indexes.map((index) => index.name) };
  const known = naturalKeys(dataclass);
  const message =
    `No unique index of ${dataclass.name} is made of ${name} and nothing else, over all rows: it finds no single entity.` +
    (known.length === 0 ? '' : ` Unique: ${known.join('; ')}.`);
  throw notApplicable(message);
}

/** The natural keys of a dataclass, as URLs name them. */
export function naturalKeys(dataclass: Dataclass): string[] {
  const members = [...dataclass.members.values()].map((member) => ({
    name: member.name,
    columns: partsOf(member, dataclass).map(({ column }) => column.name),
  }));
  const keys = uniqueIndexes(dataclass).flatMap(({ columns }) => {
    const within = members.filter((member) => member.columns.every((one) => columns.includes(one)));
    const named = columns.map((column) => within.find((one) => one.columns.includes(column))?.name);
    return named.includes(undefined) ? [] : [[...new Set(named)].join(',')];
  });
  return [...new Set(keys)];
}

function uniqueIndexes({ table }: Dataclass): Dataclass['table']['indexes'] {
  return table.indexes.filter(({ unique, columns }) => unique && columns.length > 0);
}

/** The columns that a member gives a natural key; none where it cannot be part of one. */
function partsOf(member: Member, { name: dataclass }: Dataclass): NaturalPart[] {
  const label = `${dataclass}.${member.name}`;
  if (isStored(member)) {
    const { name, column, columnType } = member;
    const isPart = isComparable(columnType) && column.expression === undefined;
    return isPart ? [{ name, column, member: label }] : [];
  }
  if (member.kind !== 'relatedEntity') return [];
  const [{ from, to }] = member.hops;
  const isByKey = to.every(({ name }) =>
    member.target.key.some(({ column }) => column.name === name),
  );
  if (!isByKey) return [];
  // No attribute has such a name.
  return from.map((column) => ({ name: `.${column.name}`, column, member: label }));
}
