import { ProtocolError } from '../../base/errors.ts';
import { attributeOf, isRelation, type AttributeType, type Dataclass } from '../../model/types.ts';
import type { AttributeTree } from './attribute-tree.ts';

/** The formats of an answer that has columns. */
export type ColumnFormat = 'csv' | 'dashboard';

/** What is no value of a column: bytes in any of them, and objects where columns have types. */
const UNFIT: Readonly<Record<ColumnFormat, ReadonlySet<AttributeType>>> = {
  csv: new Set(['image', 'blob']),
  dashboard: new Set(['image', 'blob', 'object']),
};

/**
 * What of an attribute tree has one value for each entity, and so can be a column. Where all is asked for, what cannot is left out; where
 * it is named, it is refused.
 * @returns a tree that names each attribute, and each relation to one of which attributes are columns
 * @throws ProtocolError notApplicable
 */
export function columnTree(
  tree: AttributeTree,
  dataclass: Dataclass,
  format: ColumnFormat,
): AttributeTree {
  const columns = columnsOf(tree, dataclass, format, []);
  if (columns.members.size > 0) return columns;
  throw new ProtocolError(
    'notApplicable',
    `Nothing of ${dataclass.name} can be a column of $format=${format}: it has no attribute with one value.`,
  );
}

function columnsOf(
  tree: AttributeTree,
  dataclass: Dataclass,
  format: ColumnFormat,
  path: readonly string[],
): AttributeTree {
  const members = new Map<string, AttributeTree | null>();
  const names = tree.all ? [...dataclass.members.keys()] : [...tree.members.keys()];
  for (const name of names) {
    const member = dataclass.members.get(name);
    if (member === undefined) continue;
    const refuse = (why: string): void => {
      if (tree.all && !tree.members.has(name)) return;
      throw new ProtocolError(
        'notApplicable',
        `${[...path, name].join('.')} cannot be a column of $format=${format}: ${why}`,
      );
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
