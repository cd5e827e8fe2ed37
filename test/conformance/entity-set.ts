import { expect } from 'vitest';
import type { Client } from './client.ts';
import { facts } from './dataclasses.ts';
import { collection, type Page, type Row, type Slots } from './oracle.ts';

/** The fields of a collection in their order (§2.3, DECISIONS "Answers"). */
const FIELDS = [
  '__DATACLASS',
  '__entityModel',
  '__GlobalStamp',
  '__COUNT',
  '__FIRST',
  '__ENTITIES',
  '__SENT',
];

/** An entity set that a case made, and what the oracle says is in it. */
export class EntitySet {
  readonly dataclass: string;
  readonly id: string;
  readonly slots: Slots;
  readonly #rest: Client;

  private constructor(rest: Client, dataclass: string, id: string, slots: Slots) {
    this.#rest = rest;
    this.dataclass = dataclass;
    this.id = id;
    this.slots = slots;
  }

  /**
   * Makes a set by a GET and compares the whole answer: the page that is asked for, under the URI of the set.
   * @param url below `/rest/`, with the `$method` that makes the set
   * @param slots what all of the set has to hold
   */
  static async make(
    rest: Client,
    url: string,
    dataclass: string,
    slots: Slots,
    page: Page = {},
  ): Promise<EntitySet> {
    const { status, body } = await rest.send({ method: 'GET', url });
    const uri = expect.stringMatching(setUri(dataclass)) as unknown;
    expect({ status, body }).toEqual({
      status: 200,
      body: { __ENTITYSET: uri, ...collection(dataclass, slots, page) },
    });
    expect(Object.keys(body as object)).toEqual(['__ENTITYSET', ...FIELDS]);
    const { __ENTITYSET: made } = body as { readonly __ENTITYSET: string };
    return new EntitySet(rest, dataclass, setUri(dataclass).exec(made)?.[1] ?? '', slots);
  }

  /** The path below `/rest/`. */
  get path(): string {
    return `${this.dataclass}/$entityset/${this.id}`;
  }

  /**
   * Reads the set, or with a query some of it, and compares the whole answer.
   * @param query what stands behind the id in the URL
   */
  async reads(query = '', page: Page = {}, slots: Slots = this.slots): Promise<void> {
    const { body } = await this.answers(query, collection(this.dataclass, slots, page));
    expect(Object.keys(body as object)).toEqual(FIELDS);
  }

  /** Reads a page of the set as clients page through one; the answer names the set. */
  async pages(query: string, page: Page = {}, slots: Slots = this.slots): Promise<void> {
    const uri = { __ENTITYSET: `/rest/${this.path}` };
    const { body } = await this.answers(query, {
      ...uri,
      ...collection(this.dataclass, slots, page),
    });
    expect(Object.keys(body as object)).toEqual(['__ENTITYSET', ...FIELDS]);
  }

  /** Reads all of the set, of each entity no more than its key. */
  async holds(slots: Slots = this.slots): Promise<void> {
    const page = { top: 5000, attributes: keyAttributes(this.dataclass) };
    await this.reads(`?$top=${page.top}&$attributes=${page.attributes}`, page, slots);
  }

  /** Makes another set of this one, and compares the whole answer. */
  makes(query: string, slots: Slots = this.slots, page: Page = {}): Promise<EntitySet> {
    return EntitySet.make(this.#rest, `${this.path}${query}`, this.dataclass, slots, page);
  }

  /** Sends a GET to the set and compares the whole answer. */
  answers(query: string, body: unknown, status = 200): ReturnType<Client['answers']> {
    return this.#rest.answers({ method: 'GET', url: `${this.path}${query}` }, body, status);
  }

  async release(): Promise<void> {
    await this.answers('?$method=release', { ok: true });
  }
}

/** The names of the attributes that are the key, as `$attributes` lists them. */
export function keyAttributes(dataclass: string): string {
  return facts(dataclass).key.join(',');
}

/** Slots without those whose entity has been deleted. */
export function clean(slots: Slots): readonly Row[] {
  return slots.filter((row) => row !== null);
}

/** The URI of a set; its id is captured. */
function setUri(dataclass: string): RegExp {
  return new RegExp(`^/rest/${dataclass}/\\$entityset/([A-Z0-9]+)$`);
}
