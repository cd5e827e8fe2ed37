import { ProtocolError } from '../base/errors.ts';
import { isRelation, type Dataclass } from '../model/types.ts';
import type { AttributeNode, PathRef } from '../request/ast.ts';
import { noSuchAttribute } from './filter.ts';

/** What of an entity is wanted: all of it, some members, and for expanded relations the same again. */
export interface AttributeTree {
  /** All attributes, relations deferred. */
  all: boolean;
  /** The members named, in order; null for one that is not expanded. */
  readonly members: Map<string, AttributeTree | null>;
}

/** As deep as paths may go; more than any model needs, and few enough to bound the joins of one statement. */
const DEEPEST = 10;

/**
 * Puts the lists of `$attributes`, `$expand` and the path together.
 * @throws ProtocolError noSuchAttribute, notApplicable for a path that goes on behind an attribute
 */
export function attributeTree(
  dataclass: Dataclass,
  attributes: readonly AttributeNode[] | null,
  expand: readonly PathRef[],
  within: string,
): AttributeTree {
  const root: AttributeTree = { all: attributes === null, members: new Map() };
  for (const { names, star, position } of attributes ?? []) {
    add(root, dataclass, names, star, { within, position });
  }
  for (const { names, position } of expand) {
    const at = { within: '$expand', position };
    const target = walk(dataclass, names, at);
    if (target === null) {
      throw new ProtocolError(
        'notApplicable',
        `${dataclass.name}.${names.join('.')} is no relation: there is nothing to expand`,
        at,
      );
    }
    add(root, dataclass, names, true, at);
  }
  return root;
}

interface Place {
  readonly within: string;
  readonly position: number;
}

function add(
  tree: AttributeTree,
  dataclass: Dataclass,
  names: readonly string[],
  star: boolean,
  at: Place,
): void {
  if (names.length > DEEPEST) {
    throw new ProtocolError(
      'notApplicable',
      `${names.join('.')} goes over more than ${DEEPEST} relations`,
      at,
    );
  }
  const [name, ...rest] = names;
  if (name === undefined) {
    tree.all ||= star;
    return;
  }
  const member = dataclass.members.get(name);
  if (member === undefined) throw noSuchAttribute(dataclass, name, at);
  if (rest.length === 0 && !star) {
    if (!tree.members.has(name)) tree.members.set(name, null);
    return;
  }
  if (!isRelation(member)) {
    throw new ProtocolError(
      'noSuchAttribute',
      `${dataclass.name}.${name} is of type ${member.type}, not a relation: it has no attribute ${star ? '*' : rest.join('.')}`,
      at,
    );
  }
  const inner = tree.members.get(name) ?? { all: false, members: new Map() };
  tree.members.set(name, inner);
  add(inner, member.target, rest, star, at);
}

/** The dataclass that a path of relations leads to, or null where it ends in an attribute. */
function walk(dataclass: Dataclass, names: readonly string[], at: Place): Dataclass | null {
  let here = dataclass;
  for (const name of names) {
    const member = here.members.get(name);
    if (member === undefined) throw noSuchAttribute(here, name, at);
    if (!isRelation(member)) return null;
    here = member.target;
  }
  return here;
}
