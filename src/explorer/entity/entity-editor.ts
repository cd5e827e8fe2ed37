import { computed, signal } from '@preact/signals';
import type { Catalog, Dataclass } from '../rest/catalog.ts';
import { relationTarget } from '../rest/catalog.ts';
import type { RestClient } from '../rest/client.ts';
import { isObject, type Json, type JsonObject, objectsIn, plainText } from '../rest/json.ts';
import { errorCodes, RestError } from '../rest/rest-error.ts';
import { dataclassPath, entityPath, withParameters } from '../rest/url.ts';
import { type Draft, resolved, withChange } from './draft.ts';
import { type SortedErrors, sortErrors } from './field-errors.ts';
import { fieldOf, formFields, isFixed } from './form-fields.ts';
import { lockState, type LockState } from './lock-state.ts';
import { labelAttributes } from './related-search.ts';

const NO_ERRORS: SortedErrors = { byField: new Map(), others: [] };

/** What an entity's form is doing. */
type Phase = 'loading' | 'ready' | 'saving' | 'failed' | 'deleted';

/** The state of one entity's form: what the gateway has, what the user has changed, and what came of saving it. */
export class EntityEditor {
  readonly phase = signal<Phase>('loading');
  /** Why the entity could not be read. */
  readonly failure = signal<RestError | null>(null);
  /** The entity as it was read; null of a new one. */
  readonly entity = signal<JsonObject | null>(null);
  /** Related entities by relation, with the attributes that they are known by. */
  readonly related = signal<JsonObject>({});
  readonly draft = signal<Draft>(new Map());
  /** Texts that are not values, by attribute. */
  readonly invalid = signal<ReadonlyMap<string, string>>(new Map());
  readonly errors = signal<SortedErrors>(NO_ERRORS);
  /** Counts the refusals, as two of them may have the same messages. */
  readonly refusals = signal(0);
  /** The entity as somebody else has saved it meanwhile. */
  readonly theirs = signal<JsonObject | null>(null);
  /** Null where the entity cannot be locked. */
  readonly lock = signal<LockState | null>(null);
  /** What has happened last, for the status line. */
  readonly notice = signal('');
  /** Attributes of type date that have a time of day. */
  readonly dateTimes = signal<ReadonlySet<string>>(new Set());
  /** Counts what replaces the texts of all fields. */
  readonly version = signal(0);
  readonly isDirty = computed(() => this.draft.value.size > 0 || this.invalid.value.size > 0);

  readonly dataclass: Dataclass;
  readonly key: string | null;
  readonly #catalog: Catalog;
  readonly #rest: RestClient;
  readonly #abort = new AbortController();
  /** Why the user may not change this entity, but others of its dataclass. */
  readonly #refusal = signal<string | null>(null);
  /** Whether the form has taken the lock, and is to give it up. */
  #hasTakenLock = false;

  /** @param key null for a new entity, which begins with `values` */
  constructor(
    dataclass: Dataclass,
    key: string | null,
    { catalog, rest }: { readonly catalog: Catalog; readonly rest: RestClient },
    values: Draft = new Map(),
  ) {
    this.dataclass = dataclass;
    this.key = key;
    this.#catalog = catalog;
    this.#rest = rest;
    this.draft.value = values;
  }

  get path(): string {
    const { dataclass, key } = this;
    if (key === null) return dataclassPath(dataclass.name);
    return entityPath(dataclass.name, key, dataclass.key.length > 1);
  }

  /** Whether anything of the entity may be changed, as far as the catalog and the gateway tell. */
  get isEditable(): boolean {
    return this.readOnlyReason === null;
  }

  /** Why nothing of the entity may be changed, in sentences; null where something may. */
  get readOnlyReason(): string | null {
    const { name, readOnly, changes } = this.dataclass;
    const isNew = this.key === null;
    if (readOnly !== null) return readOnly;
    if (!changes.has(isNew ? 'create' : 'update')) {
      return `You may not ${isNew ? 'create' : 'update'} entities of ${name}: your roles do not allow it.`;
    }
    if (this.#refusal.value !== null) return this.#refusal.value;
    const isAllFixed = formFields(this.dataclass).every((field) =>
      isFixed(field, this.dataclass, isNew),
    );
    return isAllFixed ? `All attributes of ${name} are read-only.` : null;
  }

  /** Whether the entity may be deleted, as far as the catalog tells. */
  get isDeletable(): boolean {
    return this.key !== null && this.dataclass.changes.has('delete');
  }

  /** Reads the entity, and what its form needs besides. */
  async load(): Promise<void> {
    const types = this.#loadDateTypes();
    if (this.key === null) {
      await types;
      this.phase.value = 'ready';
      return;
    }
    this.phase.value = 'loading';
    try {
      const [entity] = await Promise.all([this.#request(this.path), types]);
      this.#show(isObject(entity) ? entity : {});
      this.phase.value = 'ready';
      this.failure.value = null;
    } catch (error) {
      this.failure.value = this.#failureOf(error);
      this.phase.value = 'failed';
      return;
    }
    await Promise.all([this.#loadRelated(), this.updateLock('status')]);
  }

  /** Ends all requests, and gives up the lock that the form has taken. */
  close(): void {
    this.#abort.abort();
    this.releaseLock();
  }

  /** Gives up the lock that the form has taken, also while its page is closed. */
  releaseLock(): void {
    if (!this.#hasTakenLock) return;
    this.#hasTakenLock = false;
    const url = withParameters(this.path, { $lock: 'false' });
    // A lock that stays all the same ends with the session.
    this.#rest.request(url, { keepalive: true }).catch(() => null);
  }

  /** Takes a change of the user's. */
  change(name: string, value: Json | File): void {
    const { draft, entity, dataclass } = this;
    const attribute = dataclass.attributes.find((known) => known.name === name);
    // What is never null is left out of a new entity, for the database to fill in.
    if (value === null && entity.value === null && attribute?.notNull === true) {
      draft.value = new Map([...draft.value].filter(([known]) => known !== name));
    } else draft.value = withChange(draft.value, name, value, entity.value);
    this.#markInvalid(name, null);
    this.#clearError(name);
  }

  /** Notes that the text of an attribute is not a value. */
  refuse(name: string, message: string): void {
    this.#markInvalid(name, message);
    this.#clearError(name);
  }

  revert(): void {
    this.draft.value = new Map();
    this.invalid.value = new Map();
    this.errors.value = NO_ERRORS;
    this.notice.value = '';
    this.version.value += 1;
  }

  /** Saves the draft. @returns the key of the saved entity; null where it was not saved, or has no key */
  async save(): Promise<string | null> {
    if (this.phase.value === 'saving') return null;
    if (this.invalid.value.size > 0) {
      this.#showErrors({ byField: this.invalid.value, others: [] });
      return null;
    }
    this.phase.value = 'saving';
    this.errors.value = NO_ERRORS;
    this.notice.value = '';
    try {
      const body = await this.#body();
      const url = withParameters(this.path, { $method: 'update' });
      const saved = await this.#request(url, body);
      if (isObject(saved)) this.#show(saved);
      this.draft.value = new Map();
      this.version.value += 1;
      this.notice.value = 'Saved.';
      await this.#loadRelated();
      const key = isObject(saved) ? saved['__KEY'] : undefined;
      return typeof key === 'string' ? key : null;
    } catch (error) {
      this.#meet(error);
      return null;
    } finally {
      this.phase.value = 'ready';
    }
  }

  /** Goes on from the entity as somebody else has saved it, with the values that the user has chosen. */
  async resolve(choices: ReadonlyMap<string, 'mine' | 'theirs'>): Promise<void> {
    const theirs = this.theirs.value;
    if (theirs === null) return;
    this.draft.value = resolved(this.draft.value, theirs, choices);
    this.entity.value = theirs;
    this.theirs.value = null;
    this.errors.value = NO_ERRORS;
    this.version.value += 1;
    if (this.draft.value.size > 0) await this.save();
    else await this.#loadRelated();
  }

  /** Deletes the entity as it was read. */
  async delete(): Promise<void> {
    this.phase.value = 'saving';
    this.errors.value = NO_ERRORS;
    try {
      const body = { __STAMP: this.entity.value?.['__STAMP'] };
      await this.#request(withParameters(this.path, { $method: 'delete' }), body);
      this.draft.value = new Map();
      this.invalid.value = new Map();
      this.phase.value = 'deleted';
    } catch (error) {
      this.#meet(error);
      this.phase.value = 'ready';
    }
  }

  /** Asks for the state of the lock, takes it, or gives it up. */
  async updateLock(wanted: 'status' | 'true' | 'false'): Promise<void> {
    if (this.key === null || !this.isEditable) return;
    const stamp = wanted === 'true' ? this.entity.value?.['__STAMP'] : undefined;
    const url = withParameters(this.path, {
      $lock: wanted,
      __STAMP: stamp === undefined ? undefined : plainText(stamp),
    });
    // Who leaves before the answer comes has the lock, too.
    if (wanted !== 'status') this.#hasTakenLock = wanted === 'true';
    try {
      const answer = await this.#request(url);
      this.lock.value = lockState(answer, wanted === 'true' ? 'own' : 'free');
      if (this.lock.value.kind !== 'own') this.#hasTakenLock = false;
      if (wanted === 'true' && this.lock.value.kind === 'changed') await this.#reloadForLock();
    } catch (error) {
      const failure = this.#failureOf(error);
      if (failure?.has(errorCodes.mayNotUpdate) === true) {
        this.#refusal.value = `${failure.message} Your roles let you change others of ${this.dataclass.name}.`;
      }
      if (wanted === 'status' || failure === null) this.lock.value = null;
      else this.#showErrors({ byField: new Map(), others: [failure.message] });
    }
  }

  /** The entity has changed since it was read: whoever has changed nothing yet sees it as it is, and is asked to lock again. */
  async #reloadForLock(): Promise<void> {
    const entity = await this.#request(this.path);
    if (!isObject(entity)) return;
    if (this.isDirty.value) this.theirs.value = entity;
    else {
      this.#show(entity);
      this.version.value += 1;
      this.notice.value = 'Somebody else has saved this entity: this is how it is now.';
    }
    await this.updateLock('status');
  }

  async #body(): Promise<Record<string, unknown>> {
    const body: Record<string, unknown> = {};
    const entity = this.entity.value;
    if (entity !== null) body['__STAMP'] = entity['__STAMP'];
    for (const [name, value] of this.draft.value) {
      body[name] = value instanceof File ? await this.#upload(name, value) : value;
    }
    return body;
  }

  /** Uploads a file for the save that follows. */
  async #upload(name: string, file: File): Promise<Json> {
    const type = this.dataclass.attributes.find((attribute) => attribute.name === name)?.type;
    const url = type === 'image' ? '/rest/$upload?$rawPict=true' : '/rest/$upload?$binary=true';
    const uploaded = await this.#rest.request(url, { body: file, signal: this.#abort.signal });
    return { ID: isObject(uploaded) ? (uploaded['ID'] ?? null) : null };
  }

  /** Returns what the gateway refused; null where the requests were ended, as nobody looks at their outcome. */
  #failureOf(error: unknown): RestError | null {
    if (this.#abort.signal.aborted) return null;
    if (!(error instanceof RestError)) throw error;
    return error;
  }

  #meet(thrown: unknown): void {
    const error = this.#failureOf(thrown);
    if (error === null) return;
    if (error.has(errorCodes.stampChanged) && error.body?.['__KEY'] !== undefined) {
      this.theirs.value = error.body;
    }
    const names = this.dataclass.attributes.map(({ name }) => name);
    const items = error.items.length === 0 ? [error] : error.items;
    this.#showErrors(
      sortErrors(items, this.dataclass.name, names, (name) => fieldOf(name, this.dataclass)),
    );
    if (error.has(errorCodes.entityLocked)) void this.updateLock('status');
  }

  #showErrors(errors: SortedErrors): void {
    this.errors.value = errors;
    this.refusals.value += 1;
  }

  #show(entity: JsonObject): void {
    this.entity.value = entity;
  }

  /** The catalog has one type for dates with and without a time of day; the columns of a dashboard tell. */
  async #loadDateTypes(): Promise<void> {
    const dates = this.dataclass.attributes
      .filter(({ kind, type }) => type === 'date' && kind !== 'alias')
      .map(({ name }) => name);
    if (dates.length === 0) return;
    const url = withParameters(dataclassPath(this.dataclass.name), {
      $format: 'dashboard',
      $attributes: dates.join(','),
      $top: 0,
    });
    const answer = await this.#request(url).catch(() => null);
    const columns = isObject(answer) ? objectsIn(answer['schema']) : [];
    this.dateTimes.value = new Set(
      columns
        .filter(
          ({ semantics }) =>
            isObject(semantics) && semantics['semanticType'] === 'YEAR_MONTH_DAY_SECOND',
        )
        .map(({ name }) => plainText(name)),
    );
  }

  /** Reads what the related entities are known by. A failure leaves their keys. */
  async #loadRelated(): Promise<void> {
    if (this.key === null) return;
    const paths = this.dataclass.attributes.flatMap((attribute) => {
      if (attribute.kind !== 'relatedEntity') return [];
      const target = relationTarget(attribute, this.#catalog);
      return labelAttributes(target?.attributes ?? []).map((name) => `${attribute.name}.${name}`);
    });
    if (paths.length === 0) return;
    const url = withParameters(this.path, { $attributes: paths.join(',') });
    const related = await this.#request(url).catch(() => null);
    if (isObject(related)) this.related.value = related;
  }

  #markInvalid(name: string, message: string | null): void {
    const invalid = new Map(this.invalid.value);
    if (message === null) invalid.delete(name);
    else invalid.set(name, message);
    this.invalid.value = invalid;
  }

  #clearError(name: string): void {
    const { byField, others } = this.errors.value;
    if (!byField.has(name)) return;
    this.errors.value = {
      byField: new Map([...byField].filter(([field]) => field !== name)),
      others,
    };
  }

  #request(url: string, body?: unknown): Promise<Json> {
    return this.#rest.request(url, { body, signal: this.#abort.signal });
  }
}
