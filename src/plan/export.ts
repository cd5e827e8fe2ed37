import { findDataclass } from '../model/lookup.ts';
import { isRelation, type Model } from '../model/types.ts';
import type { EntitySetRequest, ReadRequest } from '../request/ast.ts';

/** An export reads the keys of what is selected, as if a set were made of it, and then the entities by their keys. */
export function exportOf(read: ReadRequest): EntitySetRequest {
  return {
    kind: 'entitySet',
    read,
    ofRelation: false,
    orderedBy: '$orderby',
    lifetime: null,
    clean: false,
    combination: null,
    saved: null,
    find: null,
  };
}

/**
 * Whether the entities of a read have keys, by which they can be read.
 * @throws ProtocolError noSuchDataclass
 */
export function hasKeys(
  { dataclass: name, selector, segments }: ReadRequest,
  model: Model,
): boolean {
  let dataclass = findDataclass(model, name);
  // Behind anything but one entity, segments are no relations that are walked.
  const isOne = selector.kind === 'key' || selector.kind === 'unique';
  for (const [node, ...others] of isOne ? segments : []) {
    const isName = others.length === 0 && node?.names.length === 1 && !node.star;
    const member = isName ? dataclass.members.get(node.names[0] ?? '') : undefined;
    if (member === undefined || !isRelation(member)) break;
    dataclass = member.target;
  }
  return dataclass.key.length > 0;
}
