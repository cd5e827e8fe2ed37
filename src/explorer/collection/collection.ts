import { signal } from '@preact/signals';
import { rest } from '../rest/client.ts';
import { isNumber, isObject, type Json, type JsonObject, objectsIn } from '../rest/json.ts';
import { errorCodes, RestError } from '../rest/rest-error.ts';
import { entitySetPath, withParameters, type Parameters } from '../rest/url.ts';
import { cellValue, uncutLength } from './columns.ts';
import { PAGE_ROWS, PageCache } from './page-cache.ts';
import {
  isCombination,
  selectionParameters,
  takesAll,
  withoutIds,
  type Selection,
} from './selection.ts';

/** How far a collection is: being selected, failed, or there. */
export type CollectionState =
  | { readonly state: 'waiting' }
  | { readonly state: 'failed'; readonly error: unknown }
  | { readonly state: 'ready'; readonly count: number };

/** The gateway has no room for a set of so many entities, or none at the moment. */
const SET_TOO_LARGE: readonly number[] = [9023, 9024];

/** How long the sets of a view live without being accessed, in seconds: they are made anew when they are gone. */
const LIFETIME = 1800;

/** An answer to what makes or reads a set. */
interface Page {
  readonly id: string | null;
  readonly count: number;
  readonly rows: readonly JsonObject[];
}

/** The entities of a selection: an entity set that is made once, made anew when it has expired, and read in pages. Dataclasses without a key have no sets: their pages are read by the selection itself. */
export class Collection {
  readonly state = signal<CollectionState>({ state: 'waiting' });
  /** Counts the pages that have come: who draws rows reads it. */
  readonly changes = signal(0);
  /** Whether the set had expired and was made anew. */
  readonly wasMadeAnew = signal(false);
  readonly pages: PageCache<JsonObject>;
  readonly #uncut = new Map<string, number>();
  readonly #dataclass: string;
  readonly #attributes: readonly string[];
  readonly #hasSets: boolean;
  readonly #closed = new AbortController();
  #selection: Selection;
  #setId: string | null = null;
  #remake: Promise<void> | null = null;

  /** @param attributes the paths that rows have @param hasSets whether the dataclass has a key */
  constructor(
    dataclass: string,
    selection: Selection,
    attributes: readonly string[],
    hasSets: boolean,
  ) {
    this.#dataclass = dataclass;
    this.#selection = selection;
    this.#attributes = attributes;
    this.#hasSets = hasSets;
    this.pages = new PageCache(
      (skip, top, signal) => this.#page(skip, top, signal),
      () => (this.changes.value += 1),
    );
  }

  /** The selection, with the id of its set. */
  get selection(): Selection {
    return this.#setId === null ? this.#selection : { ...this.#selection, id: this.#setId };
  }

  /** The most characters that the numbers of a path have had so far. */
  uncut(path: string): number {
    return this.#uncut.get(path) ?? 0;
  }

  /** Notes a value that is shown of a path. */
  note(path: string, value: Json | undefined): void {
    const length = uncutLength(value);
    if (length > this.uncut(path)) this.#uncut.set(path, length);
  }

  /** Makes the set and reads its first page. */
  async open(): Promise<void> {
    this.state.value = { state: 'waiting' };
    try {
      this.#opened(await this.#make());
    } catch (error) {
      if (!this.#closed.signal.aborted) this.state.value = { state: 'failed', error };
    }
  }

  /** Ends all requests. */
  close(): void {
    this.#closed.abort();
    this.pages.close();
  }

  /** The URL of the collection as it stands, with other parameters. Without sets below it is the request that selects. */
  url(parameters: Parameters, attribute = ''): string {
    const own = selectionParameters(this.#selection);
    const isPlain = typeof this.#selection.from === 'string';
    const path =
      typeof this.#selection.from === 'string'
        ? `/rest/${this.#selection.from}`
        : entitySetPath(this.#dataclass, this.#setId ?? '');
    const ofAttribute = attribute === '' ? path : `${path}/${encodeURIComponent(attribute)}`;
    return withParameters(ofAttribute, isPlain ? { ...own, ...parameters } : parameters);
  }

  #opened({ id, count, rows }: Page): void {
    if (this.#closed.signal.aborted) return;
    this.#setId = id;
    this.pages.clear();
    this.pages.put(0, rows);
    this.state.value = { state: 'ready', count };
    this.changes.value += 1;
  }

  async #make(): Promise<Page> {
    if (!this.#hasSets) return this.#read(this.url(this.#window(0, PAGE_ROWS)));
    try {
      return await this.#set(this.#selection, this.#window(0, PAGE_ROWS));
    } catch (error) {
      if (hasCode(error, errorCodes.noSuchEntitySet)) {
        this.#selection = withoutIds(this.#selection);
        this.wasMadeAnew.value = true;
        return this.#set(this.#selection, this.#window(0, PAGE_ROWS));
      }
      const isTooLarge = SET_TOO_LARGE.some((code) => hasCode(error, code));
      if (!isTooLarge || typeof this.#selection.from !== 'string') throw error;
      return this.#read(this.url(this.#window(0, PAGE_ROWS)));
    }
  }

  /** Makes the set of a selection, or reads it where it has been made. */
  async #set(selection: Selection, window: Parameters): Promise<Page> {
    const { from } = selection;
    const making = { $method: 'entityset', $timeout: LIFETIME };
    const own = selectionParameters(selection);
    if (typeof from === 'string') {
      return this.#read(withParameters(`/rest/${from}`, { ...own, ...making, ...window }));
    }
    if (!isCombination(from)) {
      const id = await this.#idOf(from);
      const path = entitySetPath(this.#dataclass, id);
      if (!takesAll(selection)) {
        return this.#read(withParameters(path, { ...own, ...making, ...window }));
      }
      return { ...(await this.#read(withParameters(path, window))), id };
    }
    const { operator, left, right } = from;
    const combined = withParameters(entitySetPath(this.#dataclass, await this.#idOf(left)), {
      $logicOperator: operator,
      $otherCollection: await this.#idOf(right),
      ...making,
    });
    if (takesAll(selection)) return this.#read(withParameters(combined, window));
    const { id } = await this.#read(withParameters(combined, { $top: 0 }));
    const path = entitySetPath(this.#dataclass, id ?? '');
    return this.#read(withParameters(path, { ...own, ...making, ...window }));
  }

  async #idOf(selection: Selection): Promise<string> {
    return selection.id ?? (await this.#set(selection, { $top: 0 })).id ?? '';
  }

  async #page(skip: number, top: number, signal: AbortSignal): Promise<readonly JsonObject[]> {
    try {
      return (await this.#read(this.#pageUrl(skip, top), signal)).rows;
    } catch (error) {
      if (!hasCode(error, errorCodes.noSuchEntitySet)) throw error;
      // Pages that fail together make one set.
      this.#remake ??= this.#makeAnew().finally(() => (this.#remake = null));
      await this.#remake;
      return (await this.#read(this.#pageUrl(skip, top), signal)).rows;
    }
  }

  async #makeAnew(): Promise<void> {
    this.#selection = withoutIds(this.#selection);
    const page = await this.#set(this.#selection, this.#window(0, PAGE_ROWS));
    this.wasMadeAnew.value = true;
    if (this.#closed.signal.aborted) return;
    this.#setId = page.id;
    this.state.value = { state: 'ready', count: page.count };
  }

  #pageUrl(skip: number, top: number): string {
    const window = this.#window(skip, top);
    if (this.#setId === null) return this.url(window);
    return withParameters(entitySetPath(this.#dataclass, this.#setId), window);
  }

  #window(skip: number, top: number): Parameters {
    return {
      $attributes: this.#attributes.join(','),
      $skip: skip === 0 ? undefined : skip,
      $top: top,
    };
  }

  async #read(url: string, signal: AbortSignal = this.#closed.signal): Promise<Page> {
    const answer = await rest.request(url, { signal });
    if (!isObject(answer)) throw new RestError('The answer is not a collection.', {});
    const { __ENTITYSET: uri, __COUNT: count, __ENTITIES: entities } = answer;
    const rows = objectsIn(entities);
    for (const row of rows) {
      for (const path of this.#attributes) this.note(path, cellValue(row, path));
    }
    return {
      id: typeof uri === 'string' ? uri.slice(uri.lastIndexOf('/') + 1) : null,
      count: isNumber(count) ? Number(count) : 0,
      rows,
    };
  }
}

function hasCode(error: unknown, code: number): boolean {
  return error instanceof RestError && error.has(code);
}

/** Whether an entity of a set has been deleted since the set was made (§2.3): a slot with a stamp of 0 and nothing else. */
export function isDeleted(row: JsonObject): boolean {
  return row['__KEY'] === undefined && row['__STAMP'] === 0;
}
