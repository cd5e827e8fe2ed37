import { addTo, memoize } from '../../../base/collections.ts';
import { catching, Mistakes, ProtocolError } from '../../../base/errors.ts';
import type { Dataclass, Relation } from '../../../model/types.ts';
import { restrictedRelations } from '../../../plan/write/save.ts';
import type { Column } from '../../../schema/types.ts';
import { entityName, noRelatedEntity } from '../../body/entity-key.ts';
import { addRelated } from '../../body/slots.ts';
import { EntityValues, type Shape } from '../../convert/entity-values.ts';
import type { PlannedEntity } from '../../convert/types.ts';
import { cellText, type InputRow } from '../../run.ts';
import type { Attempt } from '../../write/attempt.ts';
import type { EntityWrite } from '../../write/outcome.ts';
import type { WriteKind } from '../../write/violation.ts';
import { consequence, fail, withConsequence } from '../../write/write-errors.ts';
import { keyId } from './current-rows.ts';
import type { Lookup } from './write-statements.ts';

/** The rows that were looked up, by the {@link keyId} of the values that they were looked up by. */
export type RowsByKey = ReadonlyMap<string, InputRow>;

/** Looks up what relations lead to, by one statement for each relation. */
export async function lookUpAll(
  lookup: Lookup,
  wanted: ReadonlyMap<Relation, readonly InputRow[]>,
  attempt: Attempt,
): Promise<ReadonlyMap<Relation, RowsByKey>> {
  const found = new Map<Relation, RowsByKey>();
  for (const [relation, keys] of wanted) {
    found.set(relation, await lookUp(lookup, relation, keys, attempt));
  }
  return found;
}

async function lookUp(
  lookup: Lookup,
  relation: Relation,
  keys: readonly InputRow[],
  { dataclass, statements, source }: Attempt,
): Promise<RowsByKey> {
  if (keys.length === 0) return new Map();
  const byId = new Map(keys.map((key) => [keyId(key), key]));
  const ids = [...byId.keys()];
  const statement = statements.lookup(dataclass, lookup, relation);
  const rows = await source.run(statement, { rows: [...byId.values()] });
  return new Map(
    rows.map((row) => {
      const [, ...texts] = row.map((_, at) => cellText(statement, row, at));
      return [ids[Number(row[0])] ?? '', texts];
    }),
  );
}

/** Looks up related entities that no foreign key checks, and adds the values of the relations' columns; an entity fails where one does not exist. */
export async function resolveReferences(
  items: readonly EntityWrite[],
  attempt: Attempt,
): Promise<void> {
  const wanted = new Map<Relation, InputRow[]>();
  for (const { entity } of items) {
    for (const { relation, key } of entity.related) addTo(wanted, relation, key);
  }
  const found = await lookUpAll('related', wanted, attempt);
  for (const item of items) {
    if (item.entity.related.length === 0) continue;
    catching(
      ProtocolError,
      () => {
        item.given = resolvedValues(item.entity, found, attempt.dataclass);
      },
      (error) => {
        fail(item, withConsequence(error, item.key, attempt), attempt);
      },
    );
  }
}

function resolvedValues(
  { given, related }: PlannedEntity,
  found: ReadonlyMap<Relation, RowsByKey>,
  dataclass: Dataclass,
): EntityValues {
  const mistakes = new Mistakes();
  let values = given;
  for (const { relation, key } of related) {
    const texts = found.get(relation)?.get(keyId(key));
    const member = `${dataclass.name}.${relation.name}`;
    const isKnown = values.shape.slots.some((slot) => slot.member === member);
    if (texts?.includes(null) === true) {
      const message = `${member} stands on a value that ${entityName(relation.target, key)} does not have: nothing can refer to it.`;
      mistakes.add(0, new ProtocolError('keyIsNull', message).about(member));
      continue;
    }
    if (texts !== undefined) {
      if (isKnown) continue;
      const led = new EntityValues(dataclass);
      addRelated(relation, texts, led);
      values = values.followedBy(led);
      continue;
    }
    const dangling = noRelatedEntity(member, relation.target, key);
    // A reference to an entity that the user cannot see is read as null: a client that sends its key has guessed it.
    if (!isKnown || relation.target.where !== null) {
      mistakes.add(0, new ProtocolError('brokenReference', dangling).about(member));
      continue;
    }
    // A reference that already leads nowhere may be sent back as it was read.
    const known: EntityValues = values;
    values = known.revised((slot, at) =>
      slot.member === member ? { value: known.values[at] ?? null, doubt: { dangling } } : undefined,
    );
  }
  mistakes.throwAny();
  return values;
}

/** The columns of all relations to one whose targets are restricted: they tell where the relations lead. */
export function restrictedColumns(dataclass: Dataclass): Column[] {
  return restrictedRelations(dataclass).flatMap(({ hops }) => hops[0].from);
}

/** Refuses references to rows outside of a restriction, which no foreign key knows. */
export async function refuseRestricted(
  items: readonly EntityWrite[],
  kind: WriteKind,
  attempt: Attempt,
): Promise<void> {
  const { dataclass, nested } = attempt;
  const refused = new Map<EntityWrite, Mistakes>();
  for (const relation of restrictedRelations(dataclass)) {
    // It leads to the entity that holds these, which is judged together with them.
    if (relation.name === nested?.inverse) continue;
    const references = items.map((item) => newReference(relation, item));
    const keys = references.filter((reference) => reference !== null);
    const found = await lookUp('referred', relation, keys, attempt);
    for (const [at, item] of items.entries()) {
      const reference = references[at] ?? null;
      if (reference === null || found.has(keyId(reference))) continue;
      const member = `${dataclass.name}.${relation.name}`;
      const message =
        `${member} refers to an entity that does not exist:` +
        ` there is no ${relation.target.name}(${reference.join(';')}).`;
      const mistakes = memoize(refused, item, () => new Mistakes());
      mistakes.add(0, new ProtocolError('brokenReference', message).about(member));
    }
  }
  for (const item of items) {
    const error = refused.get(item)?.joined() ?? null;
    if (error !== null) {
      fail(item, error.leadingTo(consequence(kind, item.key, dataclass)), attempt);
    }
  }
}

/**
 * The reference of a relation once the item is written; null where it is null or unchanged. One that the body gives through the relation is looked
 * up in any case: the user reads hidden entities as null, so that their keys can only be guessed.
 */
function newReference(
  relation: Relation,
  { columns, cells, changed, current, given }: EntityWrite,
): readonly string[] | null {
  const [{ from }] = relation.hops;
  const places = from.map(({ name }) =>
    columns.findIndex(({ column }, at) => column.name === name && changed?.[at] !== false),
  );
  const isLed = current !== null && leads(given.shape, relation);
  if (!isLed && places.every((at) => at < 0)) return null;
  const parts = from.map(({ name }, part) => {
    const at = places[part] ?? -1;
    return at < 0 ? current?.column(name) : cells[at];
  });
  return parts.every((part) => typeof part === 'string') ? parts : null;
}

/** Whether a shape gives an entity to a relation. */
function leads({ slots, nulls }: Shape, relation: Relation): boolean {
  return slots.some(({ leading }, at) => leading === relation && nulls[at] === false);
}
