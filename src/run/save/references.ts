import { addTo } from '../../base/collections.ts';
import { ProtocolError } from '../../base/errors.ts';
import type { Dataclass, Relation } from '../../model/types.ts';
import { restrictedRelations } from '../../plan/write/save.ts';
import type { Column } from '../../schema/types.ts';
import { entityName, noRelatedEntity } from '../body/entity-key.ts';
import { relatedValues } from '../body/given-value.ts';
import type { ColumnValue, GivenValue, PlannedEntity } from '../convert/types.ts';
import { cellText } from '../run.ts';
import type { Attempt } from '../write/attempt.ts';
import { type Element, failed, type OrFailed } from '../write/outcome.ts';
import type { WriteKind } from '../write/violation.ts';
import { consequence, withConsequence } from '../write/write-errors.ts';
import { type CurrentRow, keyId } from './rows/current-rows.ts';
import type { Lookup } from './rows/write-statements.ts';

/** The values of some columns, or nulls. */
type Texts = readonly (string | null)[];

/** The rows that were looked up, by the {@link keyId} of the values that they were looked up by. */
export type FoundRows = ReadonlyMap<string, Texts>;

/** Looks up what relations lead to, by one statement for each relation. */
export async function lookUpAll(
  lookup: Lookup,
  wanted: ReadonlyMap<Relation, readonly Texts[]>,
  attempt: Attempt,
): Promise<ReadonlyMap<Relation, FoundRows>> {
  const found = new Map<Relation, FoundRows>();
  for (const [relation, keys] of wanted) {
    found.set(relation, await lookUp(lookup, relation, keys, attempt));
  }
  return found;
}

async function lookUp(
  lookup: Lookup,
  relation: Relation,
  keys: readonly Texts[],
  { dataclass, statements, source }: Attempt,
): Promise<FoundRows> {
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

/**
 * Looks for the related entities that bodies name and that no foreign key vouches for. Their values for the relation's columns join those that
 * the entity is given; an entity that names none that exists fails.
 */
export async function resolveReferences(
  entities: readonly PlannedEntity[],
  attempt: Attempt,
): Promise<OrFailed<PlannedEntity>[]> {
  const wanted = new Map<Relation, Texts[]>();
  for (const { related } of entities) {
    for (const { relation, key } of related) addTo(wanted, relation, key);
  }
  const found = await lookUpAll('related', wanted, attempt);
  return entities.map((entity) => {
    if (entity.related.length === 0) return entity;
    try {
      return { ...entity, given: resolvedValues(entity, found, attempt.dataclass) };
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      return failed(entity, withConsequence(error, entity.key, attempt));
    }
  });
}

/** @throws ProtocolError keyIsNull, brokenReference, and why a column cannot hold a value */
function resolvedValues(
  { given, related }: PlannedEntity,
  found: ReadonlyMap<Relation, FoundRows>,
  dataclass: Dataclass,
): readonly GivenValue[] {
  let values = given;
  for (const { relation, key } of related) {
    const texts = found.get(relation)?.get(keyId(key));
    const member = `${dataclass.name}.${relation.name}`;
    const isKnown = values.some((value) => value.member === member);
    if (texts?.includes(null) === true) {
      const message = `${member} stands on a value that ${entityName(relation.target, key)} does not have: nothing can refer to it.`;
      throw new ProtocolError('keyIsNull', message).about(member);
    }
    if (texts !== undefined) {
      if (!isKnown) values = [...values, ...relatedValues(relation, texts, dataclass)];
      continue;
    }
    const dangling = noRelatedEntity(member, relation.target, key);
    // A reference to an entity that the user cannot see is read as null: a client that sends its key has guessed it.
    if (!isKnown || relation.target.where !== null) {
      throw new ProtocolError('brokenReference', dangling).about(member);
    }
    // A reference that already leads nowhere may be sent back as it was read.
    values = values.map((value) => (value.member === member ? { ...value, dangling } : value));
  }
  return values;
}

/** An element that is about to be written. */
interface RowToWrite {
  readonly element: Element;
  readonly columns: readonly ColumnValue[];
  /** The names of the columns that change; all of them where it is left out. */
  readonly changed?: ReadonlySet<string>;
  /** The row that is changed; left out of a new one. */
  readonly current?: CurrentRow;
  /** The relations to which the body gives an entity, changed or not. */
  readonly leading?: ReadonlySet<Relation>;
}

/** The columns of all relations to one whose targets are restricted: they tell where the relations lead. */
export function restrictedColumns(dataclass: Dataclass): Column[] {
  return restrictedRelations(dataclass).flatMap(({ hops }) => hops[0]?.from ?? []);
}

/**
 * Refuses references to rows outside of a restriction, which no foreign key knows, whichever attribute or relation gives the columns their values.
 */
export async function refuseRestricted<Item extends RowToWrite>(
  items: readonly Item[],
  kind: WriteKind,
  attempt: Attempt,
): Promise<readonly OrFailed<Item>[]> {
  const { dataclass } = attempt;
  const refused = new Map<Item, ProtocolError>();
  for (const relation of restrictedRelations(dataclass)) {
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
      const error = new ProtocolError('brokenReference', message).about(member);
      refused.set(item, error.leadingTo(consequence(kind, item.element.key, dataclass)));
    }
  }
  return items.map((item) => {
    const error = refused.get(item);
    return error === undefined ? item : failed(item.element, error);
  });
}

/**
 * The reference of a relation once the item is written; null where it is null or stays as it was. A reference that the body gives through the
 * relation itself is looked up also where it stays: entities that the user cannot see are read as null, so that their keys can only be guessed.
 */
function newReference(
  relation: Relation,
  { columns, changed, current, leading }: RowToWrite,
): readonly string[] | null {
  const written = new Map(
    columns
      .filter(({ column }) => changed?.has(column.name) ?? true)
      .map(({ column, value }) => [column.name, value]),
  );
  const from = relation.hops[0]?.from ?? [];
  const isLed = leading?.has(relation) === true;
  if (!isLed && !from.some(({ name }) => written.has(name))) return null;
  const parts = from.map(({ name }) =>
    written.has(name) ? written.get(name) : current?.column(name),
  );
  return parts.every((part) => typeof part === 'string') ? parts : null;
}
