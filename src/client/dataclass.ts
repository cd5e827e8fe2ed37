import {
  type Connection,
  type Content,
  errorOf,
  type Failure,
  GatewayError,
  type Request,
} from './connection.ts';
import {
  type DataclassDescription,
  type Form,
  type FunctionDescriptions,
  memberForm,
} from './model.ts';
import { type Filter, keyText, type Paging, type RequestOptions, type Selection } from './query.ts';
import {
  type AnsweredBy,
  type Attributes,
  type ChangesPage,
  type CheckedPath,
  type Computed,
  type DataclassTypes,
  type FunctionsOn,
  type FunctionsTypes,
  type FunctionTypes,
  type GroupOf,
  type Grouping,
  type GroupsPage,
  isDefined,
  type KeyOf,
  type Keyed,
  type LockResult,
  type Page,
  type ResultOf,
  type Saved,
  type Shaped,
  type UndefinedReference,
  type ValueAt,
} from './types.ts';

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

  constructor(connection: Connection, name: string, below = '') {
    const dataclass = connection.model.dataclasses[name];
    if (dataclass === undefined) throw new TypeError(`The model has no dataclass ${name}.`);
    super(connection, `/${encodeURIComponent(name)}${below}`, dataclass.functions);
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

  /**
   * Reads all entities that are there, page by page. Which they are, and their order, is as it was at the beginning, by an entity set; of a dataclass
   * without a key, a change by others may repeat or skip entities. @param options `top` is the size of a page
   */
  async *all<const List extends string = '*'>(
    options: Omit<Paging, 'skip'> & Attributes<T, List> = {},
  ): AsyncGenerator<Shaped<T, List>, void, undefined> {
    const { top = 100, filter, orderby, signal } = options;
    const isKeyed = this.dataclass.key.length > 0;
    const entities = isKeyed ? await this.entitySet({ filter, orderby, signal }) : this;
    const read = isKeyed ? { ...options, filter: undefined, orderby: undefined } : options;
    try {
      for (let skip = 0, count = Infinity; skip < count; skip += top) {
        const page = (await entities.query({ ...read, top, skip })) as Page<Keyed>;
        yield* page.__ENTITIES.filter((item) => !isKeyed || isDefined(item)) as Shaped<T, List>[];
        count = page.__COUNT;
      }
    } finally {
      // Where this fails, the set is released when its time is over.
      if (entities instanceof EntitySet) await entities.release().catch(() => undefined);
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

  /**
   * Groups entities, and computes aggregates of each group: `groups({ groupby: 'billTo.country.name, date:month', aggregate: 'sum(total) as turnover, count' })`.
   * @param options `having` is a condition of groups, which it and `orderby` name as the answer does; without `top`, all groups are answered
   */
  groups<const By extends string = never, const List extends string = 'count'>(
    options: GroupOptions & Grouping<T, By, List> = {},
  ): Promise<GroupsPage<GroupOf<T, By, List>>> {
    const { groupby, aggregate = 'count', ...query } = options as GroupOptions & GroupLists;
    const groups = formsOf(groupby, (text) => {
      const [path = '', by] = text.split(':');
      const form = this.#formAt(path);
      return by === undefined ? form : form && 'decimal';
    });
    const aggregates = formsOf(aggregate, (text) => {
      const [, name = '', path = ''] = /^(\w+)\((.*)\)$/.exec(text) ?? [];
      if (name === 'min' || name === 'max') return this.#formAt(path);
      return name === 'sum' || name === 'avg' ? 'decimal' : undefined;
    });
    const forms = { ...groups, ...aggregates };
    const parameters = { $groupby: groupby, $aggregate: aggregate };
    return this.request({ ...query, parameters, form: { forms } }) as never;
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
    return new EntitySet(this.connection, this.name, id, size);
  }

  /** Deletes its entities, or those that a filter finds, and returns how many. */
  protected async deleteAll(options: Selection): Promise<number> {
    const request = { ...options, parameters: { $method: 'delete' }, json: {} };
    const response = await this.connection.fetch(this.path, request);
    await this.connection.answer(response);
    return Number(response.headers.get('entitygate-deleted'));
  }

  /** The form of the values at the end of a path of relations. */
  #formAt(path: string): Form {
    const { model } = this.connection;
    const names = path.split('.');
    return names.reduce<Form>((form, name) => memberForm(form, name, model), this.dataclass);
  }
}

/** Which groups are answered. */
export interface GroupOptions extends Paging {
  readonly having?: Filter | string | undefined;
}

interface GroupLists {
  readonly groupby?: string;
  readonly aggregate?: string;
}

/** The forms of the members of groups, by their names. @param formOf tells the form of an expression */
function formsOf(list = '', formOf: (text: string) => Form): Record<string, Form> {
  const items = list.split(',').map((item) => {
    const [text = '', name] = item.split(/\sas\s/i);
    const plain = text.replace(/\s/g, '');
    return [name?.trim() ?? plain, formOf(plain)] as const;
  });
  return Object.fromEntries(items);
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

  constructor(connection: Connection, name: string, id: string, size: number) {
    super(connection, name, `/$entityset/${id}`);
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

/** Which changes are answered. */
export interface ChangesOptions extends Omit<Paging, 'orderby' | 'skip'> {
  /** The token of the last page that was read. */
  readonly since?: string | undefined;
}

/** How entities are saved. */
export interface SaveOptions extends RequestOptions {
  /** Relations to many whose lists in the body are complete: entities that they do not name are deleted. */
  readonly replace?: string;
  /** Whether the save is checked, computed and answered, and then rolled back. */
  readonly dryRun?: boolean;
}

/** How several entities are saved. */
export interface SaveSeveralOptions extends SaveOptions {
  /**
   * An attribute with a unique index, or all attributes of one, with commas between them: an entity without a key that gives their values is changed
   * where it is there, whatever its stamp unless it has one, and created otherwise.
   */
  readonly key?: string;
}

/** How the save of one entity of several ended. */
export type Outcome<Entity> =
  /** `created` is told where a key was named to find the entities by. */
  | { readonly success: true; readonly entity: Entity; readonly created?: boolean }
  | { readonly success: false; readonly error: GatewayError };

/** The entities of one dataclass. */
export class Dataclass<T extends DataclassTypes> extends Collection<
  T,
  never,
  'dataClass' | 'entityCollection'
> {
  /** Reads an entity. @throws GatewayError, whose `isNotFound` tells that there is none */
  get<const List extends string = '*'>(
    key: KeyOf<T>,
    options: RequestOptions & Attributes<T, List> = {},
  ): Promise<Shaped<T, List>> {
    return this.request(options, this.#at(key)) as never;
  }

  /** Reads an entity; null where there is none. */
  find<const List extends string = '*'>(
    key: KeyOf<T>,
    options: RequestOptions & Attributes<T, List> = {},
  ): Promise<Shaped<T, List> | null> {
    return this.get(key, options).catch((error: unknown) => {
      if (error instanceof GatewayError && error.isNotFound) return null;
      throw error;
    });
  }

  /**
   * Reads what has changed since a token, page by page; without a token, all entities. The `__TOKEN` of the last page is the `since` of the next
   * time. @param options `top` is the size of a page @throws GatewayError, whose `isOutdated` tells to begin without a token
   */
  async *changes<const List extends string = '*'>(
    options: ChangesOptions & Attributes<T, List> = {},
  ): AsyncGenerator<ChangesPage<Shaped<T, List>>, void, undefined> {
    let { since } = options;
    for (let isMore = true; isMore;) {
      const request = { ...options, parameters: { since } };
      const page = (await this.request(request, '/$changes')) as ChangesPage<Shaped<T, List>>;
      yield page;
      ({ __TOKEN: since, __MORE: isMore } = page);
    }
  }

  /** Creates an entity, and those that it holds. @throws GatewayError */
  insert<const List extends string = '*'>(
    entity: T['insert'],
    options: SaveOptions & Attributes<T, List> = {},
  ): Promise<Saved<T, List>> {
    return this.#save(entity, options, { $method: 'insert' }) as never;
  }

  /** Changes an entity, and those that it holds. @throws StampConflict where it has changed since it was read, GatewayError */
  update<const List extends string = '*'>(
    entity: T['update'],
    options: SaveOptions & Attributes<T, List> = {},
  ): Promise<Saved<T, List>> {
    return this.#save(entity, options) as never;
  }

  /** Saves several entities, each on its own: those with a key, or found by that of the options, are changed, the others created. */
  async save<const List extends string = '*'>(
    entities: readonly (T['insert'] | T['update'])[],
    options: SaveSeveralOptions & Attributes<T, List> = {},
  ): Promise<Outcome<Saved<T, List>>[]> {
    const { __ENTITIES: saved } = (await this.#save(entities, options)) as Page<Failure>;
    return saved.map((entity) => {
      const { success, created } = entity.__STATUS ?? {};
      if (success !== true) return { success: false, error: errorOf(200, entity, null) };
      return { success, entity: entity as never, ...(created === undefined ? {} : { created }) };
    });
  }

  /** Saves several entities, all or none. @throws GatewayError for the first that cannot be saved */
  async saveAtomic<const List extends string = '*'>(
    entities: readonly (T['insert'] | T['update'])[],
    options: SaveSeveralOptions & Attributes<T, List> = {},
  ): Promise<Saved<T, List>[]> {
    const answer = await this.#save(entities, options, { $atomic: true });
    return (answer as Page<unknown>).__ENTITIES as never;
  }

  /** Deletes an entity. An entity that is given with its stamp is deleted only if it has not changed. @throws StampConflict, GatewayError */
  async delete(key: KeyOf<T>, options: RequestOptions = {}): Promise<void> {
    const json = { __STAMP: stampOf(key) };
    await this.request({ ...options, parameters: { $method: 'delete' }, json }, this.#at(key));
  }

  /** Deletes the entities that a filter finds, all or none, and returns how many. @throws GatewayError */
  deleteWhere(filter: Filter | string, { signal }: RequestOptions = {}): Promise<number> {
    return this.deleteAll({ filter, signal });
  }

  /**
   * Locks an entity for the session; where another session has locked it, or it is gone, `result` is `false`. An entity that is given with its stamp is
   * locked only if it has not changed. @throws StampConflict, GatewayError
   */
  lock(key: KeyOf<T>, options: RequestOptions = {}): Promise<LockResult> {
    const parameters = { $lock: true, __STAMP: stampOf(key) };
    return this.request({ ...options, parameters }, this.#at(key)) as never;
  }

  /** Unlocks an entity. */
  unlock(key: KeyOf<T>, options: RequestOptions = {}): Promise<LockResult> {
    const parameters = { $lock: false };
    return this.request({ ...options, parameters }, this.#at(key)) as never;
  }

  /**
   * Reads an image or BLOB; null where there is none. The bytes are the `body`, `blob()` or `arrayBuffer()` of the answer.
   * @param options `format` is that of an image; as it is stored, where it is left out
   */
  async download(
    key: KeyOf<T>,
    attribute: keyof T['entity'] & string,
    { format, signal }: RequestOptions & { readonly format?: 'png' | 'jpeg' | 'gif' | 'tiff' } = {},
  ): Promise<Response | null> {
    const $binary = this.dataclass.forms[attribute] === 'image' ? undefined : true;
    const parameters = { $expand: attribute, $imageformat: format, $binary };
    const path = this.path + this.#at(key, attribute);
    const response = await this.connection.fetch(path, { parameters, signal });
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    if (response.ok && response.status !== 204 && !isJson) return response;
    await this.connection.answer(response);
    return null;
  }

  /** Sets an image or BLOB. Where the entity is given with its stamp, only if it has not changed. @throws StampConflict, GatewayError */
  async upload(
    key: KeyOf<T>,
    attribute: keyof T['entity'] & string,
    content: Content,
    options: RequestOptions = {},
  ): Promise<void> {
    const stamp = stampOf(key);
    const headers: Record<string, string> = stamp === undefined ? {} : { 'if-match': `"${stamp}"` };
    const request = { ...options, parameters: { $binary: true }, content, headers };
    await this.request(request, this.#at(key, attribute));
  }

  /** An entity whose functions are called: `api.Employee.entity(4).call('raise', [3.5])`. */
  entity(key: KeyOf<T>): Functions<FunctionsOn<T, 'entity' | 'entityCollection'>> {
    return new Functions(this.connection, this.path + this.#at(key), this.dataclass.functions);
  }

  /** The path of an entity, or of an attribute of it. */
  #at(key: unknown, attribute?: string): string {
    const member = attribute === undefined ? '' : `/${encodeURIComponent(attribute)}`;
    return keyText(key, this.dataclass.key) + member;
  }

  #save(
    json: unknown,
    { replace, key, dryRun, ...options }: SaveSeveralOptions & { readonly attributes?: string },
    parameters: object = {},
  ): Promise<unknown> {
    const lists = { $replace: replace, $key: key };
    const more = { $method: 'update', ...lists, $refresh: dryRun, ...parameters };
    return this.request({ ...options, parameters: more, json });
  }
}

/** The stamp of an entity that is given as a key. */
function stampOf(key: unknown): number | undefined {
  return (key as { readonly __STAMP?: number }).__STAMP;
}
