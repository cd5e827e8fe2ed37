import { zip } from '../../base/collections.ts';
import type { Dataclass, Model } from '../../model/types.ts';
import type {
  Comparator,
  EntitySetRequest,
  FilterNode,
  ReadRequest,
  Selector,
  ParameterRef,
} from '../../protocol/ast.ts';
import type { Column } from '../../schema/types.ts';
import { flatten, type LeafNode } from '../condition/comparison.ts';
import { keyParameters, uniqueParameter } from '../condition/keys.ts';
import type { Place, WalkedRelation } from '../condition/filter.ts';

/** A query in the names of the API (§2.6), without the restrictions of dataclass and role. Data only, for all requests of one shape. */
export type PlanDescription =
  | { readonly kind: 'and' | 'or' | 'except' | 'not'; readonly parts: readonly PlanDescription[] }
  | DescribedCondition;

/** A condition on one field, and the joins that lead to its table. */
export interface DescribedCondition {
  readonly kind: 'condition';
  readonly joins: readonly DescribedJoin[];
  readonly table: string;
  readonly instance: number;
  readonly field: string;
  readonly comparator: Comparator;
  readonly value: DescribedValue;
}

/** One step of a join; `null` for a column that no attribute shows. */
export interface DescribedJoin {
  readonly leftTable: string;
  readonly leftField: string | null;
  readonly leftInstance: number;
  readonly rightTable: string;
  readonly rightField: string | null;
  readonly rightInstance: number;
}

/** What a field is compared with: a value of the request by its parameter, keys by those of their parts. */
export type DescribedValue =
  | { readonly kind: 'parameter'; readonly parameter: ParameterRef }
  | { readonly kind: 'true' }
  | { readonly kind: 'keys'; readonly keys: readonly (readonly ParameterRef[])[] };

/** Describes a set that is combined with another one (§4.7), before the filter of both. An intersection is not described. */
export function describeCombined(
  description: PlanDescription | null,
  combination: EntitySetRequest['combination'],
): PlanDescription | null {
  if (description === null || combination === null || combination.operator === 'intersect') {
    return description;
  }
  const [own, ...filter] = description.kind === 'and' ? description.parts : [description];
  if (own?.kind !== 'condition') throw new Error('what is combined is not a set');
  const other = { ...own, value: { kind: 'parameter', parameter: combination.other } } as const;
  const both = { kind: combination.operator, parts: [own, other] } as const;
  return filter.length === 0 ? both : { kind: 'and', parts: [both, ...filter] };
}

/** The field that stands for an entity's key. */
const KEY = '__KEY';

/** A field of a place, and the relations that lead there. */
interface MetLeaf {
  readonly walked: readonly WalkedRelation[];
  readonly scope: Place;
  readonly field: string;
}

/** Notes where a statement's conditions are made while it is planned, to describe it afterwards. */
export class PlanNotes {
  readonly #model: Model;
  readonly #root: Place;
  readonly #leaves = new Map<LeafNode, MetLeaf>();
  /** Of each place its number among those of its dataclass. */
  readonly #instances = new Map<string, number>();
  readonly #places = new Map<string, number>();
  #path: WalkedRelation | null = null;

  /** @param model as the caller sees it @param root the place of the selected entities */
  constructor(model: Model, root: Place) {
    this.#model = model;
    this.#root = root;
    this.#instance(root);
  }

  /** Notes the field that a leaf of the filter compares. */
  met(leaf: LeafNode, walked: readonly WalkedRelation[], scope: Place, field: string): void {
    this.#leaves.set(leaf, { walked, scope, field });
  }

  /** Notes the relations of the request's path. */
  reached(path: WalkedRelation): void {
    this.#path = path;
  }

  /** Describes what a request selects. @param start the dataclass that its path begins with */
  describe({ selector, filter }: ReadRequest, start: Dataclass): PlanDescription {
    const selected = this.#selector(selector, start);
    if (filter === null) return selected ?? { kind: 'and', parts: [] };
    const found = this.#filter(filter);
    return selected === null ? found : { kind: 'and', parts: [selected, found] };
  }

  #selector(selector: Selector, start: Dataclass): DescribedCondition | null {
    const addressed = (
      comparator: Comparator,
      value: DescribedValue,
      field = KEY,
    ): DescribedCondition => {
      const walked = this.#path === null ? [] : [this.#path];
      const scope = this.#path?.stops[0] ?? this.#root;
      return this.#condition({ walked, scope, field }, comparator, value, start.name);
    };
    switch (selector.kind) {
      case 'all':
        return null;
      case 'key':
        return addressed('=', { kind: 'keys', keys: [keyParameters(selector.key, start)] });
      case 'keys': {
        const keys = selector.keys.map((key) => keyParameters(key, start));
        return addressed('in', { kind: 'keys', keys });
      }
      case 'keyList':
        return addressed('in', { kind: 'parameter', parameter: selector.list });
      case 'unique': {
        const parameter = uniqueParameter(selector, start);
        return addressed('=', { kind: 'parameter', parameter }, selector.attribute);
      }
      case 'entitySet':
        return addressed('in', { kind: 'parameter', parameter: selector.id });
    }
  }

  #filter(node: FilterNode): PlanDescription {
    switch (node.kind) {
      case 'and':
      case 'or':
        return {
          kind: node.kind,
          parts: flatten(node, node.kind).map((part) => this.#filter(part)),
        };
      case 'except':
        return { kind: 'except', parts: [this.#filter(node.left), this.#filter(node.right)] };
      case 'not':
        return { kind: 'not', parts: [this.#filter(node.operand)] };
      case 'comparison':
        return this.#leaf(node, node.comparator, { kind: 'parameter', parameter: node.value });
      case 'flag':
        return this.#leaf(node, '=', { kind: 'true' });
    }
  }

  #leaf(node: LeafNode, comparator: Comparator, value: DescribedValue): DescribedCondition {
    const met = this.#leaves.get(node);
    if (met === undefined) throw new Error('a condition of the filter was not planned');
    return this.#condition(met, comparator, value);
  }

  #condition(
    { walked, scope, field }: MetLeaf,
    comparator: Comparator,
    value: DescribedValue,
    table = scope.dataclass.name,
  ): DescribedCondition {
    const joins = walked.flatMap((relation) => this.#joins(relation));
    return {
      kind: 'condition',
      joins,
      table,
      instance: this.#instance(scope),
      field,
      comparator,
      value,
    };
  }

  /** One pair of fields for each column of a key. */
  #joins({ hops, stops }: WalkedRelation): DescribedJoin[] {
    return hops.flatMap((hop, index) => {
      const left = stops[index];
      const right = stops[index + 1];
      if (left === undefined || right === undefined) throw new Error('a step leads nowhere');
      return zip(hop.from, hop.to).map(([column, other]): DescribedJoin => ({
        leftTable: left.dataclass.name,
        leftField: this.#field(left, column),
        leftInstance: this.#instance(left),
        rightTable: right.dataclass.name,
        rightField: this.#field(right, other),
        rightInstance: this.#instance(right),
      }));
    });
  }

  /** The attribute of a column as the caller sees it, or the to-one relation that it leads by; null when there is none. */
  #field({ dataclass: { name } }: Place, column: Column): string | null {
    const members = [...(this.#model.dataclasses.get(name)?.members.values() ?? [])];
    const isIt = (other: Column): boolean => other.name === column.name;
    const shown =
      members.find((member) => member.kind === 'storage' && isIt(member.column)) ??
      members.find(
        (member) =>
          member.kind === 'relatedEntity' && member.hops.some(({ from }) => from.some(isIt)),
      );
    return shown?.name ?? null;
  }

  /** The number of a place among those of its dataclass, from 0, in the order in which they are described. */
  #instance({ source: { alias }, dataclass: { name } }: Place): number {
    const known = this.#instances.get(alias);
    if (known !== undefined) return known;
    const number = this.#places.get(name) ?? 0;
    this.#places.set(name, number + 1);
    this.#instances.set(alias, number);
    return number;
  }
}
