import type { Connection } from './connection.ts';
import { Filter } from './filter.ts';
import { isObject } from './json.ts';
import {
  type DataclassDescription,
  formAt,
  type ModelDescription,
  ownOf,
  readEntities,
  readValue,
} from './model.ts';
import type {
  Answered,
  Checked,
  CheckedPath,
  CheckedRelations,
  Dataclasses,
  Page,
  ValueAt,
} from './shapes.ts';
import { escaped, type Parameters, queryText } from './url.ts';
import type { Computed, UndefinedReference } from './values.ts';

/** What every request takes. */
export interface RequestOptions {
  /** Ends the request; the gateway then stops its statements. */
  readonly signal?: AbortSignal;
}

/** What entities are answered. */
export interface Selection extends RequestOptions {
  readonly filter?: Filter | string;
  /** Attributes and directions: `lastName, hireDate DESC`. */
  readonly orderby?: string;
}

/** A page of what is selected. */
export interface Paging {
  /** How many at most; 100 where it is left out. */
  readonly top?: number;
  /** How many are passed over. */
  readonly skip?: number;
}

/** What of each entity is answered. */
export interface Shaping<
  Types extends Dataclasses<Types>,
  Name extends keyof Types,
  Attributes extends string,
  Relations extends string,
> {
  /** Attributes and paths of relations, `lastName,employer.name`; all attributes where it is left out. */
  readonly attributes?: Checked<Types, Name, Attributes>;
  /** Relations whose entities are answered with all their attributes, beside the attributes. */
  readonly expand?: CheckedRelations<Types, Name, Relations>;
}

/** What is computed of values. */
export type ComputeKeyword = 'count' | 'sum' | 'average' | 'min' | 'max' | 'all';

/** What a keyword computes of values. */
export type ComputedBy<Keyword extends ComputeKeyword, Value> = Keyword extends 'all'
  ? Computed<Value>
  : Keyword extends 'count'
    ? number
    : Keyword extends 'sum'
      ? string
      : Keyword extends 'average'
        ? string | null
        : Value | null;

/** A dataclass of a gateway. */
export class Source {
  readonly name: string;
  readonly description: DataclassDescription;
  readonly model: ModelDescription;
  readonly connection: Connection;

  constructor(name: string, model: ModelDescription, connection: Connection) {
    const description = ownOf(model.dataclasses, name);
    if (description === undefined) throw new TypeError(`The model has no dataclass ${name}.`);
    this.name = name;
    this.description = description;
    this.model = model;
    this.connection = connection;
  }

  /** The path of the dataclass below `/rest`. */
  get path(): string {
    return `/${escaped(this.name)}`;
  }

  /** Gives the entities of an answer their forms. @param name their dataclass, where it is another one */
  reading(name = this.name): (body: unknown) => unknown {
    return (body) => readEntities(body, name, this.model);
  }

  get(path: string, parameters: object, { signal }: RequestOptions = {}): Promise<unknown> {
    const query = queryText(parameters as Parameters);
    return this.connection.json(path + query, { signal, read: this.reading() });
  }

  /** Computes something of the values at the end of a path. */
  async compute(
    path: string,
    attribute: string,
    keyword: ComputeKeyword,
    { signal, ...options }: object & RequestOptions,
  ): Promise<unknown> {
    const form = formAt(attribute, this.name, this.model);
    const query = queryText({
      ...selectionParameters(options),
      $attributes: attribute,
      $compute: keyword === 'all' ? '$all' : keyword,
    });
    const read = (value: unknown, own: string): unknown => {
      if (own === 'count') return readValue(value, undefined);
      return value === null ? null : readValue(value, isTotal(own) ? 'decimal' : form);
    };
    const readAll = (body: unknown): unknown => {
      const all = (body as Record<string, Record<string, unknown>>)[attribute] ?? body;
      return Object.fromEntries(
        Object.entries(all as object).map(([own, value]) => [own, read(value, own)]),
      );
    };
    return this.connection.json(path + query, {
      signal,
      read: (body) => (keyword === 'all' || isObject(body) ? readAll(body) : read(body, keyword)),
    });
  }

  /** Lists the values at the end of a path, each once. */
  async distinct(
    path: string,
    attribute: string,
    { signal, ...options }: object & RequestOptions,
  ): Promise<unknown> {
    const form = formAt(attribute, this.name, this.model);
    const query = queryText({
      ...selectionParameters(options),
      $attributes: attribute,
      $distinct: true,
    });
    return this.connection.json(path + query, {
      signal,
      read: (body) =>
        Array.isArray(body)
          ? body.map((value) => readValue(value, form))
          : readValue(body, undefined),
    });
  }
}

function isTotal(keyword: string): boolean {
  return keyword === 'sum' || keyword === 'average';
}

/** The parameters of a selection, a window and a shape. */
export function selectionParameters(
  options: Selection & Paging & { readonly attributes?: string; readonly expand?: string },
): Parameters {
  const { filter, orderby, top, skip, attributes, expand } = options;
  return {
    $filter: filter,
    $orderby: orderby,
    $top: top,
    $skip: skip,
    $attributes: attributes,
    $expand: expand,
  };
}

/** A selection that the gateway keeps: which entities, and their order. Each page is read when it is asked for. */
export class EntitySet<Types extends Dataclasses<Types>, Name extends keyof Types> {
  readonly id: string;
  /** How many entities it had when it was made. */
  readonly count: number;
  readonly #source: Source;

  constructor(source: Source, id: string, count: number) {
    this.#source = source;
    this.id = id;
    this.count = count;
  }

  /** The path of the set below `/rest`. */
  get path(): string {
    return `${this.#source.path}/$entityset/${escaped(this.id)}`;
  }

  /** Reads a page. An entity that is no longer there keeps its place as an {@link UndefinedReference}. */
  page<const Attributes extends string = '*', const Relations extends string = never>(
    options: Selection & Paging & Shaping<Types, Name, Attributes, Relations> = {},
  ): Promise<Page<Answered<Types, Name, Attributes, Relations> | UndefinedReference>> {
    return this.#source.get(this.path, selectionParameters(options), options) as never;
  }

  /** Makes a set of the entities that are in both, in the order of this one. */
  and(other: EntitySet<Types, Name>, options?: RequestOptions): Promise<EntitySet<Types, Name>> {
    return this.#combined('AND', other, options);
  }

  /** Makes a set of the entities of this one, then those that only the other one has. */
  or(other: EntitySet<Types, Name>, options?: RequestOptions): Promise<EntitySet<Types, Name>> {
    return this.#combined('OR', other, options);
  }

  /** Makes a set of the entities that the other one does not have. */
  except(other: EntitySet<Types, Name>, options?: RequestOptions): Promise<EntitySet<Types, Name>> {
    return this.#combined('EXCEPT', other, options);
  }

  /** Whether an entity is in both. */
  async intersects(other: EntitySet<Types, Name>, options?: RequestOptions): Promise<boolean> {
    const parameters = { $logicOperator: 'INTERSECT', $otherCollection: other.id };
    return (await this.#source.get(this.path, parameters, options)) === true;
  }

  /** Makes a set of what a filter finds in this one, or in another order. */
  narrowed(options: Selection): Promise<EntitySet<Types, Name>> {
    return newSet(this.#source, this.path, selectionParameters(options), options);
  }

  /** Makes a set without the entities that are no longer there. */
  cleaned(options?: RequestOptions): Promise<EntitySet<Types, Name>> {
    return newSet(this.#source, this.path, { $clean: true }, options);
  }

  /** Computes something of the values of an attribute. */
  compute<const Path extends string, const Keyword extends ComputeKeyword>(
    attribute: CheckedPath<Types, Name, Path>,
    keyword: Keyword,
    options: Selection = {},
  ): Promise<ComputedBy<Keyword, ValueAt<Types, Name, Path>>> {
    return this.#source.compute(this.path, attribute, keyword, options) as never;
  }

  /** Lists the values of an attribute, each once, in ascending order. */
  distinct<const Path extends string>(
    attribute: CheckedPath<Types, Name, Path>,
    options: Selection & Paging = {},
  ): Promise<ValueAt<Types, Name, Path>[]> {
    return this.#source.distinct(this.path, attribute, options) as never;
  }

  /** Deletes its entities, all or none. The set stays, its references undefined. */
  async deleteEntities({ signal }: RequestOptions = {}): Promise<void> {
    await this.#source.connection.json(`${this.path}?$method=delete`, { method: 'POST', signal });
  }

  /** Gives the set up. */
  async release(options?: RequestOptions): Promise<void> {
    await this.#source.get(this.path, { $method: 'release' }, options);
  }

  #combined(
    operator: string,
    { id }: EntitySet<Types, Name>,
    options?: RequestOptions,
  ): Promise<EntitySet<Types, Name>> {
    const parameters = { $logicOperator: operator, $otherCollection: id };
    return newSet(this.#source, this.path, parameters, options);
  }
}

/** Makes a set of what a request selects. */
export async function newSet<Types extends Dataclasses<Types>, Name extends keyof Types>(
  source: Source,
  path: string,
  parameters: Parameters,
  options?: RequestOptions,
): Promise<EntitySet<Types, Name>> {
  const query = { ...parameters, $method: 'entityset', $top: 0 };
  const answer = (await source.get(path, query, options)) as {
    __ENTITYSET: string;
    __COUNT: number;
  };
  const id = answer.__ENTITYSET.slice(answer.__ENTITYSET.lastIndexOf('/') + 1);
  return new EntitySet(source, id, answer.__COUNT);
}
