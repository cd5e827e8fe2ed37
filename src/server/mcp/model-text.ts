import type { ApiFunction } from '../../model/functions/function-types.ts';
import {
  attributeOf,
  type Change,
  type Dataclass,
  isRelation,
  mayChange,
  type Member,
  type Model,
  type StorageAttribute,
} from '../../model/types.ts';

/** The dataclasses of a model in brief: their names, with what the mapping files say of them. */
export function briefly({ dataclasses }: Model): object[] {
  return Array.from(dataclasses.values(), ({ name, description }) => ({
    name,
    ...described(description),
  }));
}

const CHANGES: readonly Change[] = ['create', 'update', 'delete'];

/** A dataclass as an agent has to know it. @param toolOf gives the name of the tool that calls a function; null where there is none */
export function inDetail(
  dataclass: Dataclass,
  toolOf: (called: ApiFunction) => string | null,
): object {
  const { name, description, key, members } = dataclass;
  const functions = [...dataclass.functions.values()].flatMap((called) => {
    const tool = toolOf(called);
    return tool === null ? [] : [{ tool, ...described(called.description) }];
  });
  const all = [...members.values()];
  return {
    name,
    ...described(description),
    key: key.map((part) => part.name),
    mayChange: CHANGES.filter((change) => mayChange(dataclass, change)),
    attributes: all.flatMap((member) => (isRelation(member) ? [] : [attribute(member, dataclass)])),
    relations: all.flatMap((member) =>
      isRelation(member)
        ? [
            {
              name: member.name,
              to: member.target.name,
              many: member.kind === 'relatedEntities',
              ...(member.foreignKey.length === 0 ? {} : { foreignKey: member.foreignKey }),
              ...(member.readOnly === null ? {} : { readOnly: true }),
              ...described(member.description),
            },
          ]
        : [],
    ),
    ...(functions.length === 0 ? {} : { functions }),
  };
}

function described(description: string | null): object {
  return description === null ? {} : { description };
}

function attribute(
  member: Exclude<Member, { hops: unknown }>,
  { key }: Pick<Dataclass, 'key'>,
): object {
  const { name, description, readOnly } = member;
  const { type, columnType, column, indexed } = attributeOf(member);
  const isKey = key.some((part) => part.name === name);
  return {
    name,
    type,
    ...(columnType.kind === 'timestamp' ? { dateTime: true } : {}),
    ...lengthOf(columnType),
    ...(column.nullable && !isKey ? { nullable: true } : {}),
    ...(readOnly === null ? {} : { readOnly: true }),
    ...(indexed && member.kind !== 'alias' ? { indexed: true } : {}),
    ...(member.kind === 'alias' ? { path: member.path.join('.') } : {}),
    ...described(description),
  };
}

function lengthOf(type: StorageAttribute['columnType']): object {
  if (type.kind === 'opaque' && type.values !== undefined) return { values: type.values };
  return type.kind === 'text' && type.maxLength !== null ? { maxLength: type.maxLength } : {};
}
