import { findDataclass } from '../../model/lookup.ts';
import type { Model } from '../../model/types.ts';
import type { EntitySetRequest, ReadRequest } from '../../protocol/ast.ts';
import { splitSegments } from './selection.ts';

/** An export, or a long page, reads the keys of what is selected, as if a set were made of it, and then the entities by their keys. */
export function exportOf(read: ReadRequest): EntitySetRequest {
  return {
    kind: 'entitySet',
    read,
    ofRelation: false,
    namesSet: false,
    orderedBy: '$orderby',
    lifetime: null,
    clean: false,
    combination: null,
    removed: null,
    saved: null,
    find: null,
    isWindowed: true,
  };
}

/**
 * Whether the entities of a read have keys, by which they can be read.
 * @throws ProtocolError noSuchDataclass, and badUrl for a path that leads nowhere
 */
export function hasKeys(request: ReadRequest, model: Model): boolean {
  const start = findDataclass(model, request.dataclass);
  const { walked } = splitSegments(request, start);
  return (walked.at(-1)?.target ?? start).key.length > 0;
}
