import { Collection, Functions } from './collection.ts';
import type { Connection, Content } from './connection.ts';
import { errorOf, type Failure, GatewayError, refusal } from './errors.ts';
import type { DataclassDescription } from './model.ts';
import { type Filter, keyText, type Paging, type RequestOptions } from './query.ts';
import type {
  Attributes,
  DataclassTypes,
  FunctionsOn,
  KeyOf,
  Page,
  Saved,
  Shaped,
} from './shapes.ts';
import type { LockResult } from './values.ts';

/** How entities are saved. */
export interface SaveOptions extends RequestOptions {
  /** Relations to many whose lists in the body are complete: entities that they do not name are deleted. */
  readonly replace?: string;
  /** Whether the save is checked, computed and answered, and then rolled back. */
  readonly dryRun?: boolean;
}

/** How the save of one entity of several ended. */
export type Outcome<Entity> =
  | { readonly success: true; readonly entity: Entity }
  | { readonly success: false; readonly error: GatewayError };

/** The entities of one dataclass. */
export class Dataclass<T extends DataclassTypes> extends Collection<
  T,
  never,
  'dataClass' | 'entityCollection'
> {
  constructor(connection: Connection, name: string, dataclass: DataclassDescription) {
    super(connection, `/${encodeURIComponent(name)}`, name, dataclass);
  }

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
   * Reads all entities, page by page. Which they are, and their order, is as it was at the beginning, by an entity set; of a dataclass without a key,
   * a change by others may repeat or skip entities. @param options `top` is the size of a page
   */
  override async *all<const List extends string = '*'>(
    options: Omit<Paging, 'skip'> & Attributes<T, List> = {},
  ): AsyncGenerator<Shaped<T, List>, void, undefined> {
    if (this.dataclass.key.length === 0) return yield* super.all(options);
    const set = await this.entitySet(options);
    try {
      yield* set.all<List>({ ...options, filter: undefined, orderby: undefined });
    } finally {
      // Where this fails, the set is released when its time is over.
      await set.release().catch(() => undefined);
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

  /** Saves several entities, each on its own: those with a key are changed, the others created. */
  async save<const List extends string = '*'>(
    entities: readonly (T['insert'] | T['update'])[],
    options: SaveOptions & Attributes<T, List> = {},
  ): Promise<Outcome<Saved<T, List>>[]> {
    const { __ENTITIES: saved } = (await this.#save(entities, options)) as Page<Failure>;
    return saved.map((entity) =>
      entity.__STATUS?.success === true
        ? { success: true, entity: entity as never }
        : { success: false, error: errorOf(200, entity, null) },
    );
  }

  /** Saves several entities, all or none. @throws GatewayError for the first that cannot be saved */
  async saveAtomic<const List extends string = '*'>(
    entities: readonly (T['insert'] | T['update'])[],
    options: SaveOptions & Attributes<T, List> = {},
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
   * Locks an entity for the session; where another session has locked it, `result` is `false`. An entity that is given with its stamp is locked only if it
   * has not changed. @throws StampConflict, GatewayError
   */
  lock(key: KeyOf<T>, options: RequestOptions = {}): Promise<LockResult> {
    const parameters = { $lock: true, __STAMP: stampOf(key) };
    return this.request({ ...options, parameters }, this.#at(key)).catch(refusal) as never;
  }

  /** Unlocks an entity. */
  unlock(key: KeyOf<T>, options: RequestOptions = {}): Promise<LockResult> {
    const parameters = { $lock: false };
    return this.request({ ...options, parameters }, this.#at(key)).catch(refusal) as never;
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
    const $binary = this.#isImage(attribute) ? undefined : true;
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
    const parameters = { [this.#isImage(attribute) ? '$rawPict' : '$binary']: true };
    const request = { ...options, parameters, content, headers };
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

  #isImage(attribute: string): boolean {
    return this.dataclass.forms[attribute] === 'image';
  }

  #save(
    json: unknown,
    { replace, dryRun, ...options }: SaveOptions & { readonly attributes?: string },
    parameters: object = {},
  ): Promise<unknown> {
    const more = { $method: 'update', $replace: replace, $refresh: dryRun, ...parameters };
    return this.request({ ...options, parameters: more, json });
  }
}

/** The stamp of an entity that is given as a key. */
function stampOf(key: unknown): number | undefined {
  return (key as { readonly __STAMP?: number }).__STAMP;
}
