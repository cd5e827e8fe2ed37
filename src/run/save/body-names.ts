import { addTo } from '../../base/collections.ts';
import type { Dataclass, Relation } from '../../model/types.ts';
import type { KeyTexts, PlannedEntity } from '../convert/types.ts';
import type { Element } from '../write/outcome.ts';

/** Ends an attempt that depends on elements which others are to save: it is made again after those. */
export class Postponed extends Error {}

/** An entity that a body names, by the index of the element that names it. */
export interface Name {
  readonly key: KeyTexts;
  readonly root: number;
}

/** What the elements of a body say that may concern the lists of others (`$replace`). What a refused element says counts for nothing. */
export class BodyNames {
  readonly #names: () => ReadonlyMap<string, readonly Name[]>;
  /** How elements stand: saved by this attempt, committed, or refused; those that are missing are of another attempt. */
  readonly #standings = new Map<number, 'here' | 'saved' | 'refused'>();
  /** The lists that were replaced, by the indexes of the elements that hold them. */
  readonly #replaced = new Map<string, number>();
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
    for (const [index, standing] of this.#standings) {
      if (standing === 'here') this.#standings.delete(index);
    }
    for (const [id, root] of this.#replaced) {
      if (this.#standings.get(root) !== 'saved') this.#replaced.delete(id);
    }
    for (const { index } of elements) this.#standings.set(index, 'here');
  }

  /** Notes how elements have ended. */
  end(elements: readonly (Element & { readonly failure?: object | null })[]): void {
    for (const { index, failure = null } of elements) {
      this.#standings.set(index, failure === null ? 'saved' : 'refused');
    }
  }

  /** Notes that a list was replaced; returns false where another one of the same entity was. */
  replaces(list: string, { index }: Element): boolean {
    const isFirst = !this.#replaced.has(list);
    if (isFirst) this.#replaced.set(list, index);
    return isFirst;
  }

  /** What the body names of the dataclass's table; another dataclass of it may have another key. */
  of({ table, key }: Dataclass): readonly Name[] {
    const names = this.#names().get(tableId(table)) ?? [];
    return names.filter((name) => name.key.length === key.length);
  }

  /** Whether a list does not delete what elements name. @throws Postponed where one of them is to be saved first */
  keeps(roots: readonly number[], { index }: Element): boolean {
    if (roots.includes(index)) return true;
    const standings = roots.map((root) => this.#standings.get(root));
    if (this.waits && standings.includes(undefined)) throw new Postponed();
    for (const root of roots) if (this.#standings.get(root) === 'here') this.relied.add(root);
    return standings.includes('here') || standings.includes('saved');
  }
}

function tableId({ schema, name }: Dataclass['table']): string {
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
    const toOne = [...of.members.values()].filter(
      (member): member is Relation => member.kind === 'relatedEntity',
    );
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
  const key = target.key.map(({ column }) => {
    const own = from[to.findIndex(({ name }) => name === column.name)];
    return given.find((value) => value.column.name === own?.name)?.value;
  });
  return key.length > 0 && key.every((part) => typeof part === 'string') ? key : null;
}
