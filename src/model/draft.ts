import type { ApiFunction } from './functions/function-types.ts';
import type { MappingContext } from './mapping-context.ts';
import type { Dataclass, Hop, Member, Relation } from './types.ts';

/** A dataclass whose relations are still to come. */
export interface DataclassDraft {
  readonly context: MappingContext;
  readonly dataclass: Dataclass;
  /** The same map as `dataclass.members`, open for writing while the model is built. */
  readonly members: Map<string, Member>;
  /** The same map as `dataclass.functions`. */
  readonly functions: Map<string, ApiFunction>;
}

/** The dataclasses that are being built, by name. */
export type Drafts = ReadonlyMap<string, DataclassDraft>;

/** What makes a relation; the rest follows from it. */
interface NewRelation {
  readonly name: string;
  readonly target: Dataclass;
  readonly hops: readonly Hop[];
  readonly inverse?: string;
  readonly through?: readonly string[];
}

/** Adds a relation to a dataclass, or puts it in the place of what has its name; it is to many where one of its hops is. */
export function addRelation(
  { members }: DataclassDraft,
  { name, target, hops, inverse, through }: NewRelation,
): void {
  const [hop, ...more] = hops;
  const columns = new Set(hop === undefined || hop.toMany || more.length > 0 ? [] : hop.from);
  const relation: Relation = {
    kind: hops.some(({ toMany }) => toMany) ? 'relatedEntities' : 'relatedEntity',
    name,
    target,
    hops,
    inverse: inverse ?? null,
    foreignKey: [...members.values()]
      .filter((member) => member.kind === 'storage' && columns.has(member.column))
      .map((member) => member.name),
    through: through ?? null,
    readOnly: false,
  };
  members.set(name, relation);
}
