import { notApplicable, ProtocolError, type TextPosition } from '../../base/errors.ts';
import { noSuchAttribute } from '../../model/lookup.ts';
import { attributeOf, type AttributeType, type Dataclass, isRelation } from '../../model/types.ts';
import type { AttributeNode, PathRef, ReadRequest, TableFormat } from '../../protocol/ast.ts';
import { checkDepth, type PlanContext } from '../context.ts';

/** Types that cannot be a column: bytes in any format, and objects in a format whose columns have types. */
const UNFIT: Readonly<Record<TableFormat, ReadonlySet<AttributeType>>> = {
  csv: new Set(['image', 'blob']),
  spreadsheet: new Set(['image', 'blob']),
  dashboard: new Set(['image', 'blob', 'object']),
};

/** Reduces an attribute tree to attributes that can be columns, with one value for each entity. Others are left out, or refused when they are named. */
export function columnTree(
  tree: AttributeTree,
  dataclass: Dataclass,
  format: TableFormat,
): AttributeTree {
  const columns = columnsOf(tree, dataclass, format, []);
  if (columns.members.size > 0) return columns;
  const message = `Nothing of ${dataclass.name} can be a column of $format=${format}: it has no attribute with one value.`;
  throw notApplicable(message);
}

function columnsOf(
  tree: AttributeTree,
  dataclass: Dataclass,
  format: TableFormat,
  path: readonly string[],
): AttributeTree {
  const members = new Map<string, AttributeTree | null>();
  const names = tree.all ? [...dataclass.members.keys()] : [...tree.members.keys()];
  for (const name of names) {
    const member = dataclass.members.get(name);
    if (member === undefined) continue;
    const refuse = (why: string): void => {
      if (tree.all && !tree.members.has(name)) return;
      const message = `${[...path, name].join('.')} cannot be a column of $format=${format}: ${why}`;
      throw notApplicable(message);
    };
    if (!isRelation(member)) {
      const { type } = attributeOf(member);
      if (UNFIT[format].has(type)) refuse(`it is of type ${type}.`);
      else members.set(name, null);
      continue;
    }
    const inner = tree.members.get(name) ?? null;
    if (member.kind === 'relatedEntities') refuse('it leads to many entities.');
    else if (inner === null) refuse(`it leads to an entity; name its attributes, or ${name}.*`);
    else members.set(name, columnsOf(inner, member.target, format, [...path, name]));
  }
  return { all: false, members };
}

/** The members of an entity that are answered, and those of its expanded relations. */
export interface AttributeTree {
  /** All attributes, relations deferred. */
  all: boolean;
  /** The members named, in order; null for one that is not expanded. */
  readonly members: Map<string, AttributeTree | null>;
}

/** Puts the lists of `$attributes`, `$expand` and the path together. */
export function attributeTree(
  dataclass: Dataclass,
  attributes: readonly AttributeNode[] | null,
  { expand, asArray }: Pick<ReadRequest, 'expand' | 'asArray'>,
  within: string,
  settings: PlanContext,
): AttributeTree {
  const named = asArray ? expand.filter((node) => isAttribute(node, dataclass)) : [];
  const root: AttributeTree = {
    all: attributes === null && named.length === 0,
    members: new Map(),
  };
  for (const node of attributes ?? []) add(root, dataclass, node, { ...node, within, settings });
  for (const node of expand) {
    const { names, position } = node;
    const at = { within: '$expand', position };
    if (named.includes(node)) {
      const listed = { names, position, star: 'star' in node && node.star };
      add(root, dataclass, listed, { ...node, within: '$expand', settings });
      continue;
    }
    refuseAttribute(dataclass, names, at);
    // Relations on the way are expanded, too, each with all of its attributes.
    for (let length = 1; length <= names.length; length += 1) {
      const level = { names: names.slice(0, length), star: true, position };
      add(root, dataclass, level, { ...node, within: '$expand', settings });
    }
  }
  return root;
}

/** Whether a path is a star, or ends in an attribute or at an unknown name. */
function isAttribute(node: PathRef | AttributeNode, dataclass: Dataclass): boolean {
  if ('star' in node && node.star) return true;
  let here = dataclass;
  for (const name of node.names) {
    const member = here.members.get(name);
    if (member === undefined || !isRelation(member)) return true;
    here = member.target;
  }
  return false;
}

interface Given {
  readonly names: readonly string[];
  readonly position: number;
  readonly within: string;
  readonly settings: PlanContext;
}

/** @param walked how many relations of the path lead to this dataclass */
function add(
  tree: AttributeTree,
  dataclass: Dataclass,
  { names, star, position }: AttributeNode,
  given: Given,
  walked = 0,
): void {
  const at = { within: given.within, position };
  const [name, ...rest] = names;
  if (name === undefined) {
    tree.all ||= star;
    return;
  }
  const member = dataclass.members.get(name);
  if (member === undefined) throw noSuchAttribute(dataclass, name, at);
  if (isRelation(member)) checkDepth(walked + 1, given.names, given.settings, at);
  if (rest.length === 0 && !star) {
    if (!tree.members.has(name)) tree.members.set(name, null);
    return;
  }
  if (!isRelation(member)) {
    const message = `${dataclass.name}.${name} is of type ${attributeOf(member).type}, not a relation: it has no attribute ${star ? '*' : rest.join('.')}`;
    throw new ProtocolError('noSuchAttribute', message, at);
  }
  const inner = tree.members.get(name) ?? { all: false, members: new Map() };
  tree.members.set(name, inner);
  add(inner, member.target, { names: rest, star, position }, given, walked + 1);
}

/** Only relations are expanded in an entity; the content of an image or BLOB is an answer of its own (§4.5). */
function refuseAttribute(dataclass: Dataclass, names: readonly string[], at: TextPosition): void {
  let here = dataclass;
  for (const name of names) {
    const member = here.members.get(name);
    if (member === undefined) throw noSuchAttribute(here, name, at);
    if (!isRelation(member)) {
      const shown = `${here.name}.${name}`;
      const { type } = attributeOf(member);
      throw type === 'image' || type === 'blob'
        ? notApplicable(
            `The content of ${shown} is an answer of its own: it is expanded behind the entity in the path, as in ${here.name}(key)/${name}?$expand=${name}`,
            at,
          )
        : notApplicable(`${shown} is not a relation: there is nothing to expand`, at);
    }
    here = member.target;
  }
}
