import { addTo } from '../../../base/collections.ts';
import { type Dataclass, type Relation } from '../../../model/types.ts';
import type { KeyTexts } from '../../body/body-key.ts';
import type { PlannedEntity } from '../../convert/types.ts';

/** The keys of the rows of tables, by {@link tableId}. */
export type NamedKeys = ReadonlyMap<string, readonly KeyTexts[]>;

/** Names the table of a dataclass, which others may have as well. */
export function tableId({ table: { schema, name } }: Pick<Dataclass, 'table'>): string {
  return JSON.stringify([schema, name]);
}

/** The keys of all entities that a body names: those that it saves, those within them, and those that they are led to. */
export function keysNamed(entities: readonly PlannedEntity[], dataclass: Dataclass): NamedKeys {
  const keys = new Map<string, KeyTexts[]>();
  const add = (of: Dataclass, key: KeyTexts): void => {
    addTo(keys, tableId(of), key);
  };
  const collect = (some: readonly PlannedEntity[], of: Dataclass): void => {
    const toOne = [...of.members.values()].filter(
      (member): member is Relation => member.kind === 'relatedEntity',
    );
    for (const entity of some) {
      if (entity.key !== null) add(of, entity.key);
      for (const { relation, key } of entity.related) add(relation.target, key);
      for (const relation of toOne) {
        const key = keyLedTo(relation, entity);
        if (key !== null) add(relation.target, key);
      }
      for (const { relation, entities: within } of entity.nested) collect(within, relation.target);
    }
  };
  collect(entities, dataclass);
  return keys;
}

/** The key of the entity that what a relation's columns are given leads to; null where that alone does not tell. */
function keyLedTo({ hops, target }: Relation, { given }: PlannedEntity): KeyTexts | null {
  const { from = [], to = [] } = hops[0] ?? {};
  const key = target.key.map(({ column }) => {
    const own = from[to.findIndex(({ name }) => name === column.name)];
    return given.find((value) => value.column.name === own?.name)?.value;
  });
  return key.length > 0 && key.every((part) => typeof part === 'string') ? key : null;
}
