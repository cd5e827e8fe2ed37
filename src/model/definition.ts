import { hash } from 'node:crypto';
import { type Dataclass, isRelation, type Member } from './types.ts';

/**
 * Returns a digest of everything that mapping file and schema say of a dataclass, except descriptions and messages: its table, key, stamp, restriction, attributes,
 * relations and functions. Equal for the same dataclass of two models that were built from the same.
 */
export function definitionOf(dataclass: Omit<Dataclass, 'definition'>): string {
  const text = JSON.stringify(saidOf(dataclass), (name, value: unknown) =>
    name === 'description' ? undefined : value,
  );
  return hash('sha256', text, 'base64');
}

/** Returns a digest as {@link definitionOf} does, of the descriptions and messages, too. */
export function describedDefinitionOf(dataclass: Dataclass): string {
  const text = JSON.stringify([dataclass.description, [...dataclass.messages], saidOf(dataclass)]);
  return hash('sha256', text, 'base64');
}

function saidOf(dataclass: Omit<Dataclass, 'definition'>): unknown {
  const { name, collection, table, key, stamp, timestamp, where, members, stored } = dataclass;
  const { changes, readOnly, requireStamp, allowsOverwrite, aggregates, functions } = dataclass;
  return [
    [name, collection, table.schema, table.name, table.kind],
    key.map((attribute) => attribute.name),
    [stamp, timestamp, changes, where, readOnly, requireStamp, allowsOverwrite, aggregates],
    [...members.values()].map(memberDefinition),
    [...stored.values()],
    [...functions.values()],
  ];
}

/** Returns what defines a member, without the dataclasses that it leads to. */
function memberDefinition(member: Member): unknown {
  if (!isRelation(member)) return member;
  const { target, hops, ...rest } = member;
  const steps = hops.map(({ target: next, from, to, toMany }) => [
    next.name,
    from.map((column) => column.name),
    to.map((column) => column.name),
    toMany,
  ]);
  return { ...rest, target: target.name, steps };
}
