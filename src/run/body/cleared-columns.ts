import { isFilledIn } from '../../model/attributes.ts';
import { isRelation, type Dataclass, type Relation } from '../../model/types.ts';
import type { Column } from '../../schema/types.ts';

/**
 * The columns that are null when a relation leads to no entity. One is enough, and others may be shared: with another
 * foreign key, which would be cleared without a word, with the key, or with an attribute that the body gives a value. Those
 * that nothing else holds are meant; where there are none, or where a body says all that it has read, more of them are.
 * @param said the columns to which the attributes of the body give a value
 */
export function clearedColumns(
  relation: Relation,
  dataclass: Dataclass,
  said: ReadonlySet<string>,
): readonly Column[] {
  const from = relation.hops[0]?.from ?? [];
  const nullable = from.filter((column) => column.nullable);
  if (nullable.length === 0) return from;
  const held = heldColumns(relation, dataclass);
  const own = nullable.filter((column) => !held.has(column.name) && !isFilledIn(column));
  const silent = own.filter(({ name }) => !said.has(name));
  return [silent, own, nullable].find(({ length }) => length > 0) ?? [];
}

/** The columns of a dataclass that the key, another relation or another foreign key stands on. */
function heldColumns(
  { name: own, hops }: Relation,
  { key, members, table }: Dataclass,
): ReadonlySet<string> {
  const names = (hops[0]?.from ?? []).map(({ name }) => name);
  const others = [...members.values()].flatMap((member) =>
    isRelation(member) && member.name !== own ? (member.hops[0]?.from ?? []) : [],
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
