import { ProtocolError, type TextPosition } from '../base/errors.ts';
import { nameHint } from '../base/names.ts';
import { isRelation, type Dataclass, type Model, type Relation } from './types.ts';

/**
 * Finds an exposed dataclass.
 * @throws ProtocolError noSuchDataclass with the nearest known names
 */
export function findDataclass(model: Model, name: string): Dataclass {
  const dataclass = model.dataclasses.get(name);
  if (dataclass !== undefined) return dataclass;
  throw new ProtocolError(
    'noSuchDataclass',
    `There is no dataclass ${name}.${nameHint(name, model.dataclasses.keys())}`,
  );
}

/** The error of a name that the dataclass does not have. */
export function noSuchAttribute(
  dataclass: Dataclass,
  name: string,
  at?: TextPosition,
): ProtocolError {
  return new ProtocolError(
    'noSuchAttribute',
    `Dataclass ${dataclass.name} has no attribute ${name}.${nameHint(name, dataclass.members.keys())}`,
    at,
  );
}

/**
 * A path with the paths of its aliases in their place. What it names that is not there stays.
 * @param names relations, then an attribute, possibly with the properties of an object behind it
 */
export function withoutAliases(names: readonly string[], dataclass: Dataclass): readonly string[] {
  let here = dataclass;
  for (const [index, name] of names.entries()) {
    const member = here.members.get(name);
    if (member?.kind === 'alias') {
      return [...names.slice(0, index), ...member.path, ...names.slice(index + 1)];
    }
    if (member === undefined || !isRelation(member)) return names;
    here = member.target;
  }
  return names;
}

/** The relation of a dataclass that has a name. @throws Error where there is none: the name was found in it before */
export function relationNamed({ name, members }: Dataclass, relation: string): Relation {
  const member = members.get(relation);
  if (member === undefined || !isRelation(member))
    throw new Error(`${name} has no relation ${relation}`);
  return member;
}
