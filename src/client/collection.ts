import type { Connection, Request } from './connection.ts';
import {
  type DataclassDescription,
  type Form,
  type FunctionDescriptions,
  memberForm,
} from './model.ts';
import type { Paging, RequestOptions, Selection } from './query.ts';
import type {
  AnsweredBy,
  Attributes,
  CheckedPath,
  DataclassTypes,
  FunctionsOn,
  FunctionsTypes,
  FunctionTypes,
  Page,
  ResultOf,
  Shaped,
  ValueAt,
} from './shapes.ts';
import { type Computed, isDefined, type Keyed, type UndefinedReference } from './values.ts';

/** Functions by their names, and what they are called on. */
export class Functions<Types extends FunctionsTypes> {
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
    parameters: Types[Name]['parameters'],
    options: Paging & Attributes<AnsweredBy<Types[Name]['result']>, List> = {},
  ): Promise<ResultOf<Types[Name]['result'], List>> {
    const { entities = '', result } = this.#descriptions[name] ?? {};
    const form = this.connection.model.dataclasses[entities] ?? { forms: { result } };
    const path = `${this.path}/${encodeURIComponent(name)}`;
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

  constructor(connection: Connection, path: string, name: string, dataclass: DataclassDescription) {
    super(connection, path, dataclass.functions);
    this.name = name;
    this.dataclass = dataclass;
  }

  /** Reads a page. */
  query<const List extends string = '*'>(
    options: Paging & Attributes<T, List> = {},
  ): Promise<Page<Shaped<T, List> | Gone>> {
    return this.request(options) as never;
  }

  /** Counts entities. */
  async count({ filter, signal }: Selection = {}): Promise<number> {
    return ((await this.request({ filter, signal, top: 0 })) as Page<unknown>).__COUNT;
  }

  /** Reads all entities that are there, page by page. @param options `top` is the size of a page */
  async *all<const List extends string = '*'>(
    options: Omit<Paging, 'skip'> & Attributes<T, List> = {},
  ): AsyncGenerator<Shaped<T, List>, void, undefined> {
    const { top = 100 } = options;
    const isThere = (item: unknown): boolean =>
      this.dataclass.key.length === 0 || isDefined(item as Keyed);
    for (let skip = 0, count = Infinity; skip < count; skip += top) {
      const page = await this.query<List>({ ...options, top, skip });
      yield* page.__ENTITIES.filter(isThere) as Shaped<T, List>[];
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
  async compute<const Path extends string, const Keyword extends keyof Computed<unknown>>(
    attribute: CheckedPath<T, Path>,
    keyword: Keyword,
    options: Selection = {},
  ): Promise<Computed<ValueAt<T, Path>>[Keyword]> {
    const own = this.#formAt(attribute);
    const forms: Record<string, Form> = { sum: 'decimal', average: 'decimal', min: own, max: own };
    const isAll = keyword === 'all';
    const answer = await this.request({
      ...options,
      attributes: attribute,
      parameters: { $compute: isAll ? '$all' : keyword },
      form: isAll ? { forms: { [attribute]: { forms } } } : forms[keyword],
    });
    return (isAll ? (answer as Record<string, unknown>)[attribute] : answer) as never;
  }

  /** Lists the values of an attribute, each once, in ascending order. */
  distinct<const Path extends string>(
    attribute: CheckedPath<T, Path>,
    options: Paging = {},
  ): Promise<ValueAt<T, Path>[]> {
    const parameters = { $distinct: true };
    const form = this.#formAt(attribute);
    return this.request({ ...options, attributes: attribute, parameters, form }) as never;
  }

  /** Sends a request. @param below what follows the path of the entities */
  protected request(request: Request, below = ''): Promise<unknown> {
    return this.connection.json(this.path + below, { form: this.dataclass, ...request });
  }

  protected async newSet(parameters: object, options: Selection = {}): Promise<EntitySet<T>> {
    const { __ENTITYSET: uri, __COUNT: size } = (await this.request({
      ...options,
      top: 0,
      parameters: { ...parameters, $method: 'entityset' },
    })) as { readonly __ENTITYSET: string; readonly __COUNT: number };
    const id = uri.slice(uri.lastIndexOf('/') + 1);
    return new EntitySet(this.connection, this.name, this.dataclass, id, size);
  }

  /** Deletes its entities, or those that a filter finds, and returns how many. */
  protected async deleteAll(options: Selection): Promise<number> {
    const request = { ...options, parameters: { $method: 'delete' }, json: {} };
    return ((await this.request(request)) as { readonly deleted: number }).deleted;
  }

  /** The form of the values at the end of a path of relations. */
  #formAt(path: string): Form {
    const { model } = this.connection;
    const names = path.split('.');
    return names.reduce<Form>((form, name) => memberForm(form, name, model), this.dataclass);
  }
}

/** A selection that the gateway keeps: which entities, and their order. Each page is read when it is requested. */
export class EntitySet<T extends DataclassTypes> extends Collection<
  T,
  UndefinedReference,
  'entityCollection'
> {
  readonly id: string;
  /** How many entities it had when it was made. */
  readonly size: number;

  constructor(
    connection: Connection,
    name: string,
    dataclass: DataclassDescription,
    id: string,
    size: number,
  ) {
    super(connection, `/${encodeURIComponent(name)}/$entityset/${id}`, name, dataclass);
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
    return (await this.request({ ...options, parameters })) === true;
  }

  /** Makes a set without the entities that are no longer there. */
  cleaned(options?: RequestOptions): Promise<EntitySet<T>> {
    return this.newSet({ $clean: true }, options);
  }

  /** Deletes its entities, all or none, and returns how many there were. */
  deleteEntities({ signal }: RequestOptions = {}): Promise<number> {
    return this.deleteAll({ signal });
  }

  /** Releases the set. */
  async release(options: RequestOptions = {}): Promise<void> {
    await this.request({ ...options, parameters: { $method: 'release' } });
  }
}
