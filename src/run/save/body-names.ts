import { addTo } from '../../base/collections.ts';
import { withoutPadding } from '../../base/text.ts';
import { type Dataclass, type Relation, relationsOf } from '../../model/types.ts';
import type { EntityValues } from '../convert/entity-values.ts';
import type { KeyTexts, PlannedEntity } from '../convert/types.ts';
import type { Element } from '../write/outcome.ts';

/** Ends an attempt that depends on elements which others are to save: it is made again after those. */
export class Postponed extends Error {}

/** An entity that a body names, by the index of the element that names it. */
export interface Name {
  readonly key: KeyTexts;
  readonly root: number;
}

/** What the elements of a body say about entities that others of them name, too. What a refused element says counts for nothing. */
export class BodyNames {
  readonly #names: () => ReadonlyMap<string, readonly Name[]>;
  /** How elements have ended that are not tried again. */
  readonly #ended = new Map<number, 'saved' | 'refused'>();
  /** How the elements of this attempt stand. */
  #attempted = new Map<number, 'here' | 'refused'>();
  /** The lists that were replaced and the places that entities were given, with the indexes of their elements. */
  readonly #settled = new Map<string, number>();
  /** The indexes of elements of this attempt that keep something in the list of another one. */
  readonly relied = new Set<number>();
  /** Whether elements of other attempts are waited for. */
  waits: boolean;

  constructor(entities: readonly PlannedEntity[], dataclass: Dataclass, waits: boolean) {
    let names: ReadonlyMap<string, readonly Name[]> | undefined;
    this.#names = () => (names ??= namesIn(entities, dataclass));
    this.waits = waits;
  }

  /** Begins an attempt at elements; one that was not committed has been rolled back. */
  begin(elements: readonly Element[]): void {
    this.relied.clear();
    this.#attempted = new Map(elements.map(({ index }) => [index, 'here']));
    for (const [id, root] of this.#settled) {
      if (this.#ended.get(root) !== 'saved') this.#settled.delete(id);
    }
  }

  /** Notes elements that this attempt does not save. */
  refuse(elements: readonly Element[]): void {
    for (const { index } of elements) this.#attempted.set(index, 'refused');
  }

  /** Notes how elements have ended. */
  end(elements: readonly (Element & { readonly failure?: object | null })[]): void {
    for (const { index, failure = null } of elements) {
      this.#ended.set(index, failure === null ? 'saved' : 'refused');
    }
  }

  /** Settles where a saved entity is, in a list or above a new one: no later object of the body moves it. */
  place(
    { given, nested }: PlannedEntity,
    key: KeyTexts,
    dataclass: Dataclass,
    root: Element,
  ): void {
    const listed = given.shape.slots.flatMap(({ filled, column }) =>
      filled === true ? [column] : [],
    );
    const above = nested.flatMap(({ relation: { kind, hops } }) =>
      kind === 'relatedEntity' ? hops[0].from : [],
    );
    for (const { name } of [...listed, ...above])
      this.settle(settledId(dataclass, key, name), root);
  }

  /** Notes what an element has settled, by its {@link settledId}; returns false where the body had settled it before. */
  settle(id: string, { index }: Element): boolean {
    const isFirst = !this.isSettled(id);
    if (isFirst) this.#settled.set(id, index);
    return isFirst;
  }

  isSettled(id: string): boolean {
    return this.#settled.has(id);
  }

  /** What the body names of the dataclass's table; another dataclass of it may have another key. */
  of({ table, key }: Dataclass): readonly Name[] {
    const names = this.#names().get(tableId(table)) ?? [];
    return names.filter((name) => name.key.length === key.length);
  }

  /** Whether a list does not delete what elements name. @throws Postponed where one of them is to be saved first */
  keeps(roots: readonly number[], { index }: Element): boolean {
    if (roots.includes(index)) return true;
    const standings = roots.map((root) => this.#attempted.get(root) ?? this.#ended.get(root));
    if (this.waits && standings.includes(undefined)) throw new Postponed();
    for (const root of roots) if (this.#attempted.get(root) === 'here') this.relied.add(root);
    return standings.includes('here') || standings.includes('saved');
  }
}

/** A column of an entity that tells where the body has placed it, or a list of it that was replaced, `Order.lines`. */
export function settledId({ table }: Dataclass, key: KeyTexts, name: string): string {
  return JSON.stringify([tableId(table), name, ...key.map((part) => withoutPadding(part))]);
}

/** Identifies a table. */
export function tableId({ schema, name }: Dataclass['table']): string {
  return JSON.stringify([schema, name]);
}

/** All entities that a body names, by table: those that it saves, nested ones, and those that it relates them to. */
function namesIn(
  entities: readonly PlannedEntity[],
  dataclass: Dataclass,
): ReadonlyMap<string, readonly Name[]> {
  const names = new Map<string, Name[]>();
  const collect = (some: readonly PlannedEntity[], of: Dataclass, root: number): void => {
    const add = ({ table }: Dataclass, key: KeyTexts | null): void => {
      if (key !== null) addTo(names, tableId(table), { key, root });
    };
    const toOne = relationsOf(of).filter(({ kind }) => kind === 'relatedEntity');
    for (const entity of some) {
      add(of, entity.key);
      for (const { relation, key } of entity.related) add(relation.target, key);
      for (const relation of toOne) add(relation.target, keyLedTo(relation, entity));
      for (const { relation, entities: within } of entity.nested) {
        collect(within, relation.target, root);
      }
    }
  };
  for (const entity of entities) collect([entity], dataclass, entity.index);
  return names;
}

/** The key of the entity that a relation's columns lead to by the values that they are given; null where these do not tell. */
function keyLedTo({ hops, target }: Relation, { given }: PlannedEntity): KeyTexts | null {
  const [{ from, to }] = hops;
  const columns = target.key.map(
    ({ column }) => from[to.findIndex(({ name }) => name === column.name)]?.name,
  );
  return givenKey(columns, given);
}

/** The key that columns are given; null where they are not given all of it. */
export function givenKey(
  columns: readonly (string | undefined)[],
  given: EntityValues | undefined,
): KeyTexts | null {
  const key = columns.map((name) => (name === undefined ? undefined : given?.of(name)));
  return key.length > 0 && key.every((part) => typeof part === 'string') ? key : null;
}
