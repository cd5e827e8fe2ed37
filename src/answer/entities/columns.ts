import type { Row } from '../../database/database.ts';
import { attributeOf, isRelation, type StorageAttribute } from '../../model/types.ts';
import type { EntityShape, Field } from '../../plan/condition/types.ts';
import type { Reader } from '../../sql/dialect.ts';

/** A column of an answer that has columns. */
export interface TableColumn {
  /** The names of the relations that lead to the attribute, and its own, with dots. */
  readonly path: string;
  readonly field: Extract<Field, { kind: 'value' }>;
  /** The attribute that has the values; that of another entity where it is an alias. */
  readonly attribute: StorageAttribute;
  /** Whether it tells entities apart: it is a part of a key, or leads to another entity. */
  readonly isKey: boolean;
  /** The value in a row as it came; null also where there is no entity that would have it. */
  readonly value: (row: Row) => unknown;
}

/** The columns of a shape, of which everything has one value for each entity. */
export function tableColumns(
  { fields, dataclass }: EntityShape,
  path: readonly string[] = [],
  present: readonly number[] = [],
): TableColumn[] {
  return fields.flatMap((field): TableColumn[] => {
    const names = [...path, field.name];
    if (field.kind === 'entity') {
      return tableColumns(field.shape, names, [...present, field.present]);
    }
    const member = dataclass.members.get(field.name);
    if (field.kind !== 'value' || member === undefined || isRelation(member)) {
      throw new Error(`${names.join('.')} is not a column`);
    }
    const { column } = field;
    return [
      {
        path: names.join('.'),
        field,
        attribute: attributeOf(member),
        isKey: isKey(field.name, dataclass),
        value: (row) => (present.some((at) => row[at] === null) ? null : row[column]),
      },
    ];
  });
}

function isKey(name: string, { key, members }: EntityShape['dataclass']): boolean {
  return (
    key.some((part) => part.name === name) ||
    [...members.values()].some((member) => isRelation(member) && member.foreignKey.includes(name))
  );
}

/** The reader of a result column. @throws Error where there is none */
export function readerOf(readers: readonly Reader[], column: number): Reader {
  const found = readers[column];
  if (found === undefined) throw new Error(`result column ${column} has no reader`);
  return found;
}
