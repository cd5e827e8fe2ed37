import type { Content, Request } from './connection.ts';
import {
  type ComputedBy,
  type ComputeKeyword,
  EntitySet,
  newSet,
  type RequestOptions,
  type Selection,
  selectionParameters,
  type Shaping,
  type Source,
  type Paging,
} from './entity-set.ts';
import { errorOf, type Failure, GatewayError } from './errors.ts';
import { Filter } from './filter.ts';
import {
  callFunction,
  type CallArguments,
  type CallOptions,
  type CallResult,
} from './functions.ts';
import { ownOf } from './model.ts';
import type { Answered, CheckedPath, Dataclasses, Page, ValueAt } from './shapes.ts';
import { entityPath, escaped, type Parameters, queryText } from './url.ts';
import { isDefined, type Keyed, type LockResult, type SaveStatus } from './values.ts';

/** The key of an entity: its value, an object where it has several parts, or the entity. */
export type KeyOf<Types extends Dataclasses<Types>, Name extends keyof Types> = [
  Types[Name]['key'],
] extends [never]
  ? never
  : Types[Name]['key'] | Keyed;

/** How a save answers. */
export interface SaveOptions extends RequestOptions {
  /** Relations to many whose lists in the body are all there is to be: the entities that they do not name are deleted. */
  readonly replace?: string;
  /** Whether all is checked, computed and answered, and then rolled back. */
  readonly dryRun?: boolean;
}

/** How the save of one entity of several ended. */
export type Outcome<Entity> =
  | { readonly success: true; readonly entity: Entity }
  | { readonly success: false; readonly error: GatewayError };

/** A saved entity; without a key, nothing says which row it is. */
export type Saved<
  Types extends Dataclasses<Types>,
  Name extends keyof Types,
  Attributes extends string,
  Relations extends string,
> = [Types[Name]['key']] extends [never]
  ? SaveStatus
  : Answered<Types, Name, Attributes, Relations> & SaveStatus;

/** Names of attributes of a dataclass that hold a form of content. */
type ContentName<
  Types extends Dataclasses<Types>,
  Name extends keyof Types,
> = keyof Types[Name]['entity'] & string;

/** The requests to the entities of one dataclass. */
export class DataclassClient<Types extends Dataclasses<Types>, Name extends keyof Types> {
  readonly #source: Source;

  constructor(source: Source) {
    this.#source = source;
  }

  /** Reads an entity. @throws GatewayError, whose `isNotFound` tells that there is none */
  get<const Attributes extends string = '*', const Relations extends string = never>(
    key: KeyOf<Types, Name>,
    options: RequestOptions & Shaping<Types, Name, Attributes, Relations> = {},
  ): Promise<Answered<Types, Name, Attributes, Relations>> {
    return this.#source.get(this.#at(key), selectionParameters(options), options) as never;
  }

  /** Reads an entity; null where there is none. */
  async find<const Attributes extends string = '*', const Relations extends string = never>(
    key: KeyOf<Types, Name>,
    options: RequestOptions & Shaping<Types, Name, Attributes, Relations> = {},
  ): Promise<Answered<Types, Name, Attributes, Relations> | null> {
    try {
      return await this.get(key, options);
    } catch (error) {
      if (error instanceof GatewayError && error.isNotFound) return null;
      throw error;
    }
  }

  /** Reads a page. */
  query<const Attributes extends string = '*', const Relations extends string = never>(
    options: Selection & Paging & Shaping<Types, Name, Attributes, Relations> = {},
  ): Promise<Page<Answered<Types, Name, Attributes, Relations>>> {
    return this.#source.get(this.#source.path, selectionParameters(options), options) as never;
  }

  /** Counts entities. */
  async count(options: Selection = {}): Promise<number> {
    const parameters = { ...selectionParameters(options), $top: 0 };
    const page = await this.#source.get(this.#source.path, parameters, options);
    return (page as Page<unknown>).__COUNT;
  }

  /**
   * Reads all entities, page by page. Which they are, and their order, is as it was at the beginning, by an entity set; of a dataclass without a key
   * a change by others may have entities come twice or not at all.
   * @param options `top` is the size of a page
   */
  async *pages<const Attributes extends string = '*', const Relations extends string = never>(
    options: Selection & Pick<Paging, 'top'> & Shaping<Types, Name, Attributes, Relations> = {},
  ): AsyncGenerator<Answered<Types, Name, Attributes, Relations>[], void, undefined> {
    const { filter, orderby, attributes, expand, signal, top = 100 } = options;
    const request = signal === undefined ? {} : { signal };
    const isKept = this.#source.description.key.length > 0;
    const selected = selectionParameters({
      ...(filter === undefined ? {} : { filter }),
      ...(orderby === undefined ? {} : { orderby }),
    });
    const set = isKept
      ? await newSet<Types, Name>(this.#source, this.#source.path, selected, request)
      : null;
    const path = set?.path ?? this.#source.path;
    const parameters = {
      ...(set === null ? selected : {}),
      $attributes: attributes,
      $expand: expand,
    };
    try {
      for (let skip = 0, count = Infinity; skip < count; skip += top) {
        const page = (await this.#source.get(
          path,
          { ...parameters, $top: top, $skip: skip },
          request,
        )) as Page<Keyed>;
        count = page.__COUNT;
        const entities = set === null ? page.__ENTITIES : page.__ENTITIES.filter(isDefined);
        if (entities.length > 0) yield entities as never;
      }
    } finally {
      // Its time runs out by itself.
      await set?.release().catch(() => undefined);
    }
  }

  /** Reads all entities, one after the other, as {@link pages} does. */
  async *all<const Attributes extends string = '*', const Relations extends string = never>(
    options: Selection & Pick<Paging, 'top'> & Shaping<Types, Name, Attributes, Relations> = {},
  ): AsyncGenerator<Answered<Types, Name, Attributes, Relations>, void, undefined> {
    for await (const page of this.pages(options)) yield* page;
  }

  /** Makes an entity set. @param options `timeout` is how many seconds it lives from each access to the next */
  entitySet(
    options: Selection & { readonly timeout?: number } = {},
  ): Promise<EntitySet<Types, Name>> {
    const parameters = { ...selectionParameters(options), $timeout: options.timeout };
    return newSet(this.#source, this.#source.path, parameters, options);
  }

  /** Computes something of the values of an attribute, which may be that of related entities. */
  compute<const Path extends string, const Keyword extends ComputeKeyword>(
    attribute: CheckedPath<Types, Name, Path>,
    keyword: Keyword,
    options: Selection & Paging = {},
  ): Promise<ComputedBy<Keyword, ValueAt<Types, Name, Path>>> {
    return this.#source.compute(this.#source.path, attribute, keyword, options) as never;
  }

  /** Lists the values of an attribute, each once, in ascending order. */
  distinct<const Path extends string>(
    attribute: CheckedPath<Types, Name, Path>,
    options: Selection & Paging = {},
  ): Promise<ValueAt<Types, Name, Path>[]> {
    return this.#source.distinct(this.#source.path, attribute, options) as never;
  }

  /** Creates an entity, and those that it holds. @throws GatewayError */
  insert<const Attributes extends string = '*', const Relations extends string = never>(
    entity: Types[Name]['insert'],
    options: SaveOptions & Shaping<Types, Name, Attributes, Relations> = {},
  ): Promise<Saved<Types, Name, Attributes, Relations>> {
    return this.#save(entity, 'insert', options) as never;
  }

  /** Changes an entity, and those that it holds. @throws StampConflict where it has changed since it was read, GatewayError for what else is wrong */
  update<const Attributes extends string = '*', const Relations extends string = never>(
    entity: Types[Name]['update'],
    options: SaveOptions & Shaping<Types, Name, Attributes, Relations> = {},
  ): Promise<Saved<Types, Name, Attributes, Relations>> {
    return this.#save(entity, 'update', options) as never;
  }

  /** Saves several: those with a key are changed, the others created. Each stands or falls on its own. */
  async save<const Attributes extends string = '*', const Relations extends string = never>(
    entities: readonly (Types[Name]['insert'] | Types[Name]['update'])[],
    options: SaveOptions & Shaping<Types, Name, Attributes, Relations> = {},
  ): Promise<Outcome<Saved<Types, Name, Attributes, Relations>>[]> {
    const answer = await this.#save(entities, 'update', options);
    return (answer as Page<SaveStatus>).__ENTITIES.map(outcomeOf) as never;
  }

  /** Saves several, all or none. @throws GatewayError for the first that cannot be saved */
  async saveAtomic<const Attributes extends string = '*', const Relations extends string = never>(
    entities: readonly (Types[Name]['insert'] | Types[Name]['update'])[],
    options: SaveOptions & Shaping<Types, Name, Attributes, Relations> = {},
  ): Promise<Saved<Types, Name, Attributes, Relations>[]> {
    const answer = await this.#save(entities, 'update', options, true);
    return (answer as Page<unknown>).__ENTITIES as never;
  }

  /** Deletes an entity. Where it is given with its stamp, only if it has not changed. @throws StampConflict, GatewayError */
  async delete(key: KeyOf<Types, Name>, { signal }: RequestOptions = {}): Promise<void> {
    const stamp = (key as { readonly __STAMP?: number }).__STAMP;
    await this.#source.connection.json(`${this.#at(key)}?$method=delete`, {
      method: 'POST',
      ...(stamp === undefined ? {} : { json: { __STAMP: stamp } }),
      signal,
    });
  }

  /** Deletes what a filter finds, all or none. @throws GatewayError */
  async deleteWhere(filter: Filter | string, { signal }: RequestOptions = {}): Promise<void> {
    const query = queryText({ $filter: filter, $method: 'delete' });
    await this.#source.connection.json(this.#source.path + query, { method: 'POST', signal });
  }

  /**
   * Locks an entity for the session; where another session has locked it, `result` is `false`. An entity that is given with its stamp is locked only if it
   * has not changed. @throws StampConflict, GatewayError
   */
  lock(key: KeyOf<Types, Name>, options: RequestOptions = {}): Promise<LockResult> {
    const stamp = (key as { readonly __STAMP?: number }).__STAMP;
    return this.#lock(key, { $lock: true, __STAMP: stamp }, options);
  }

  /** Gives the lock of an entity up. */
  unlock(key: KeyOf<Types, Name>, options: RequestOptions = {}): Promise<LockResult> {
    return this.#lock(key, { $lock: false }, options);
  }

  /**
   * Reads an image or BLOB; null where there is none. The bytes are read as the answer's `body`, `blob()` or `arrayBuffer()`.
   * @param options `format` is that of an image: `png`, `jpeg`, `gif`, `tiff`; as it is stored, where it is left out
   */
  async download(
    key: KeyOf<Types, Name>,
    attribute: ContentName<Types, Name>,
    { format, signal }: RequestOptions & { readonly format?: 'png' | 'jpeg' | 'gif' | 'tiff' } = {},
  ): Promise<Response | null> {
    const query = queryText({
      ...(this.#isImage(attribute) ? { $imageformat: format } : { $binary: true }),
      $expand: attribute,
    });
    const path = `${this.#at(key)}/${escaped(attribute)}${query}`;
    const response = await this.#source.connection.content(path, { signal });
    const isNone =
      response.status === 204 ||
      response.headers.get('content-type')?.startsWith('application/json');
    if (isNone !== true) return response;
    await response.body?.cancel();
    return null;
  }

  /** Sets an image or BLOB. Where the entity is given with its stamp, only if it has not changed. @throws StampConflict, GatewayError */
  async upload(
    key: KeyOf<Types, Name>,
    attribute: ContentName<Types, Name>,
    content: Content,
    { signal }: RequestOptions = {},
  ): Promise<void> {
    const stamp = (key as { readonly __STAMP?: number }).__STAMP;
    const query = this.#isImage(attribute) ? '?$rawPict=true' : '?$binary=true';
    await this.#source.connection.json(`${this.#at(key)}/${escaped(attribute)}${query}`, {
      method: 'POST',
      content,
      ...(stamp === undefined ? {} : { headers: { 'if-match': `"${stamp}"` } }),
      signal,
    });
  }

  /** Calls a function of the dataclass, of its entities (`on` is a key), or of a collection (`on` is a filter or an entity set). */
  call<
    const Called extends keyof Types[Name]['functions'] & string,
    const Attributes extends string = '*',
    const Relations extends string = never,
  >(
    name: Called,
    ...given: CallArguments<
      Types,
      Types[Name]['functions'][Called],
      Attributes,
      Relations,
      KeyOf<Types, Name>,
      EntitySet<Types, Name>
    >
  ): Promise<CallResult<Types, Types[Name]['functions'][Called], Attributes, Relations>> {
    const [parameters, options = {}] = given as unknown as [readonly unknown[], CallOptions?];
    const { on } = options;
    const isWhole = on === undefined || on instanceof Filter;
    const path = on instanceof EntitySet ? on.path : isWhole ? this.#source.path : this.#at(on);
    return callFunction(this.#source.connection, this.#source.model, {
      path: `${path}/${escaped(name)}`,
      description: ownOf(this.#source.description.functions, name),
      parameters,
      options: { ...options, on: on instanceof Filter ? on : undefined },
    }) as never;
  }

  #at(key: unknown): string {
    return entityPath(this.#source.name, key, this.#source.description.key);
  }

  #isImage(attribute: string): boolean {
    return ownOf(this.#source.description.forms, attribute) === 'image';
  }

  #lock(key: unknown, parameters: Parameters, { signal }: RequestOptions): Promise<LockResult> {
    return this.#source.connection.json(this.#at(key) + queryText(parameters), {
      signal,
      isAnswer: (body) => {
        const { result, __STATUS } = (body ?? {}) as Partial<LockResult>;
        return typeof result === 'boolean' && __STATUS?.status !== STAMP_HAS_CHANGED;
      },
    }) as Promise<LockResult>;
  }

  #save(
    json: unknown,
    method: 'insert' | 'update',
    options: SaveOptions & { readonly attributes?: string; readonly expand?: string },
    atomic?: true,
  ): Promise<unknown> {
    const query = queryText({
      $method: method,
      $attributes: options.attributes,
      $expand: options.expand,
      $replace: options.replace,
      $refresh: options.dryRun,
      $atomic: atomic,
    });
    const request: Request = {
      method: 'POST',
      json,
      read: this.#source.reading(),
      signal: options.signal,
    };
    return this.#source.connection.json(this.#source.path + query, request);
  }
}

/** The status of a lock that is not taken because the entity has changed. */
const STAMP_HAS_CHANGED = 2;

function outcomeOf(entity: Failure): Outcome<unknown> {
  return entity.__STATUS?.success === true
    ? { success: true, entity }
    : { success: false, error: errorOf(200, entity, null) };
}
