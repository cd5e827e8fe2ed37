import type { Connection, Request, RequestOptions } from './connection.ts';
import {
  type DataclassDescription,
  type Form,
  formAt,
  type FunctionDescriptions,
} from './model.ts';
import type {
  AnsweredBy,
  Checked,
  CheckedPath,
  DataclassTypes,
  FunctionsOn,
  FunctionTypes,
  Page,
  ParametersOf,
  ResultOf,
  Shaped,
  ValueAt,
} from './shapes.ts';
import { type Filter, queryText } from './query.ts';
import { type Computed, isDefined, type Keyed, type UndefinedReference } from './values.ts';

/** Which entities are answered, and in which order. */
export interface Selection extends RequestOptions {
  readonly filter?: Filter | string | undefined;
  /** Attributes and directions: `lastName, hireDate DESC`. */
  readonly orderby?: string | undefined;
}

/** A page of what is selected. */
export interface Paging {
  /** How many at most; 100 where it is left out. */
  readonly top?: number;
  /** How many are skipped. */
  readonly skip?: number;
}

/** What is answered of each entity. */
export interface Attributes<T extends DataclassTypes, List extends string> {
  /** Attributes and paths of relations, `lastName,employer.name`; all attributes where it is left out. */
  readonly attributes?: Checked<T, List>;
}

/** Functions by their names, and what they are called on. */
export class Functions<Types> {
  readonly path: string;
  protected readonly connection: Connection;
  readonly #descriptions: FunctionDescriptions;

  /** @param path of what they are called on, below `/rest` */
  constructor(connection: Connection, path: string, descriptions: FunctionDescriptions) {
    this.connection = connection;
    this.path = path;
    this.#descriptions = descriptions;
  }

  /** Calls a function. @param options `filter` selects the entities that a function of collections is called on */
  async call<const Name extends keyof Types & string, const List extends string = '*'>(
    name: Name,
    parameters: ParametersOf<Types[Name]>,
    options: Selection & Paging & Attributes<AnsweredBy<Types[Name]>, List> = {},
  ): Promise<ResultOf<Types[Name], List>> {
    const { entities, result } = this.#descriptions[name] ?? {};
    const path = `${this.path}/${encodeURIComponent(name)}${queryText(options)}`;
    const form =
      entities === undefined ? { forms: { result } } : this.connection.model.dataclasses[entities];
    const answer = await this.connection.json(path, { ...options, json: parameters, form });
    const { result: value, __STAMP: stamp } = answer as Record<string, unknown>;
    return (value === undefined || stamp !== undefined ? answer : value) as never;
  }
}

/** The entities of a dataclass, or of an entity set. `Gone` stands for an entity that is no longer there. */
export class Collection<
  T extends DataclassTypes,
  Gone,
  On extends FunctionTypes['on'],
> extends Functions<FunctionsOn<T, On>> {
  protected readonly name: string;
  protected readonly dataclass: DataclassDescription;

  constructor(connection: Connection, name: string, path: string) {
    const dataclass = connection.model.dataclasses[name];
    if (dataclass === undefined) throw new TypeError(`The model has no dataclass ${name}.`);
    super(connection, path, dataclass.functions);
    this.name = name;
    this.dataclass = dataclass;
  }

  /** Reads a page. */
  query<const List extends string = '*'>(
    options: Selection & Paging & Attributes<T, List> = {},
  ): Promise<Page<Shaped<T, List> | Gone>> {
    return this.request(queryText(options), options) as never;
  }

  /** Counts entities. */
  async count({ filter, signal }: Selection = {}): Promise<number> {
    return ((await this.request(queryText({ filter, top: 0 }), { signal })) as Page<unknown>)
      .__COUNT;
  }

  /** Reads all entities that are there, page by page. @param options `top` is the size of a page */
  async *all<const List extends string = '*'>(
    options: Selection & Pick<Paging, 'top'> & Attributes<T, List> = {},
  ): AsyncGenerator<Shaped<T, List>, void, undefined> {
    const { top = 100 } = options;
    for (let skip = 0, count = Infinity; skip < count; skip += top) {
      const page = (await this.query({ ...options, top, skip })) as Page<Keyed>;
      const hasKey = this.dataclass.key.length > 0;
      yield* (hasKey ? page.__ENTITIES.filter(isDefined) : page.__ENTITIES) as Shaped<T, List>[];
      count = page.__COUNT;
    }
  }

  /** Makes an entity set. @param options `timeout` is how many seconds it lives from each access to the next */
  entitySet({ timeout, ...options }: Selection & { readonly timeout?: number } = {}): Promise<
    EntitySet<T>
  > {
    return this.newSet({ $timeout: timeout }, options);
  }

  /** Computes something of the values of an attribute, which may be that of related entities: `compute('employer.creditLimit', 'max')`. */
  async compute<const Path extends string, const Keyword extends keyof Computed<unknown> | 'all'>(
    attribute: CheckedPath<T, Path>,
    keyword: Keyword,
    options: Selection = {},
  ): Promise<
    Keyword extends keyof Computed<unknown>
      ? Computed<ValueAt<T, Path>>[Keyword]
      : Partial<Computed<ValueAt<T, Path>>>
  > {
    const own = formAt(attribute, this.dataclass, this.connection.model);
    const forms: Record<string, Form> = { sum: 'decimal', average: 'decimal', min: own, max: own };
    const isAll = keyword === 'all';
    const form = isAll ? { forms: { [attribute]: { forms } } } : forms[keyword];
    const parameters = { $compute: isAll ? '$all' : keyword };
    const query = queryText({ ...options, attributes: attribute }, parameters);
    const answer = await this.request(query, { signal: options.signal, form });
    return (isAll ? (answer as Record<string, unknown>)[attribute] : answer) as never;
  }

  /** Lists the values of an attribute, each once, in ascending order. */
  distinct<const Path extends string>(
    attribute: CheckedPath<T, Path>,
    options: Selection & Paging = {},
  ): Promise<ValueAt<T, Path>[]> {
    const form = formAt(attribute, this.dataclass, this.connection.model);
    const query = queryText({ ...options, attributes: attribute }, { $distinct: true });
    return this.request(query, { ...options, form }) as never;
  }

  protected request(rest: string, request: Request): Promise<unknown> {
    return this.connection.json(this.path + rest, { form: this.dataclass, ...request });
  }

  protected async newSet(
    parameters: Readonly<Record<string, unknown>>,
    options: Selection = {},
  ): Promise<EntitySet<T>> {
    const query = queryText({ ...options, top: 0 }, { ...parameters, $method: 'entityset' });
    const page = (await this.request(query, options)) as NewSet;
    const { __ENTITYSET: uri, __COUNT: size } = page;
    return new EntitySet(this.connection, this.name, uri.slice(uri.lastIndexOf('/') + 1), size);
  }
}

type NewSet = { readonly __ENTITYSET: string; readonly __COUNT: number };

/** A selection that the gateway keeps: which entities, and their order. Each page is read when it is requested. */
export class EntitySet<T extends DataclassTypes> extends Collection<
  T,
  UndefinedReference,
  'entityCollection'
> {
  readonly id: string;
  /** How many entities it had when it was made. */
  readonly size: number;

  constructor(connection: Connection, name: string, id: string, size: number) {
    super(connection, name, `/${encodeURIComponent(name)}/$entityset/${id}`);
    this.id = id;
    this.size = size;
  }

  /** Makes a set of the entities that both have (AND), one has (OR), or only this one has (EXCEPT). Those of this one come first, in their order. */
  combine(
    operator: 'AND' | 'OR' | 'EXCEPT',
    other: EntitySet<T>,
    options?: RequestOptions,
  ): Promise<EntitySet<T>> {
    return this.newSet({ $logicOperator: operator, $otherCollection: other.id }, options);
  }

  /** Whether an entity is in both. */
  async intersects(other: EntitySet<T>, options: RequestOptions = {}): Promise<boolean> {
    const parameters = { $logicOperator: 'INTERSECT', $otherCollection: other.id };
    return (await this.request(queryText({}, parameters), options)) === true;
  }

  /** Makes a set without the entities that are no longer there. */
  cleaned(options?: RequestOptions): Promise<EntitySet<T>> {
    return this.newSet({ $clean: true }, options);
  }

  /** Deletes its entities, all or none. */
  async deleteEntities({ signal }: RequestOptions = {}): Promise<void> {
    await this.request('?$method=delete', { signal, json: {} });
  }

  /** Releases the set. */
  async release(options: RequestOptions = {}): Promise<void> {
    await this.request('?$method=release', options);
  }
}
