import { addTo } from '../../../base/collections.ts';
import { ProtocolError } from '../../../base/errors.ts';
import { withoutPadding } from '../../../base/text.ts';
import { atOnce } from '../../../base/time-slice.ts';
import { type Dataclass, isStored, type Relation } from '../../../model/types.ts';
import { restrictedRelations } from '../../../plan/write/save.ts';
import type { JsonValue } from '../../../protocol/body/json-value.ts';
import { fillsIn, needsValue } from '../../../schema/type-rules.ts';
import type { Column, ColumnType } from '../../../schema/types.ts';
import { jsonCheck } from '../../../sql/json-check.ts';
import { entityName, noRelatedEntity } from '../../body/entity-key.ts';
import { readOnlyError, relatedValues } from '../../body/given-value.ts';
import { COMPARED_JSON, isJsonOf } from '../../convert/same-json.ts';
import { isBytes, isSameValue, type StoredValue } from '../../convert/stored-value.ts';
import { GivenValue } from '../../convert/given-value.ts';
import type { ColumnValue, PlannedEntity } from '../../convert/types.ts';
import { cellText, type InputRow } from '../../run.ts';
import type { Attempt } from '../../write/attempt.ts';
import { type Element, failed, type OrFailed } from '../../write/outcome.ts';
import type { WriteKind } from '../../write/violation.ts';
import { consequence, withConsequence } from '../../write/write-errors.ts';
import { type CurrentRow, keyId, type WithRow } from './current-rows.ts';
import type { Lookup } from './write-statements.ts';

/** The columns of a new row. @throws ProtocolError readOnlyAttribute, mandatoryMissing, or keyMismatch for two values of a column */
export function newColumns(given: readonly GivenValue[], dataclass: Dataclass): GivenValue[] {
  // Null for what the database fills in is no value.
  const isLeftOut = ({ slot: { column, readOnly } }: GivenValue): boolean =>
    readOnly !== null ||
    isOfKey(column, dataclass) ||
    column.hasDefault ||
    (!column.nullable && fillsIn(dataclass.table));
  const wanted = given.filter((value) => value.value !== null || !isLeftOut(value));
  const columns: GivenValue[] = [];
  for (const value of wanted.toSorted(byPosition)) {
    const last = columns.at(-1);
    if (last?.column.name !== value.column.name) {
      if (value.slot.readOnly !== null) throw readOnlyError(value.slot, value.slot.readOnly);
      checkValue(value);
      columns.push(value);
    } else if (!isSameStored(last.value, value.value, last.type)) throw contradiction(last, value);
  }
  const missing = missingMember(columns, dataclass);
  if (missing !== null) throw mandatory(`${dataclass.name}.${missing}`);
  return columns;
}

/** The first attribute or relation whose column needs a value and has none. */
function missingMember(
  present: readonly ColumnValue[],
  { members, table }: Dataclass,
): string | null {
  const isMissing = (column: Column): boolean =>
    needsValue(column, table) && !present.some((value) => value.column.name === column.name);
  for (const member of members.values()) {
    if (isStored(member)) {
      if (member.readOnly === null && isMissing(member.column)) return member.name;
    } else if (member.kind === 'relatedEntity' && member.hops[0].from.some(isMissing)) {
      return member.name;
    }
  }
  return null;
}

/**
 * The columns of an existing row that a save changes; `currentText` is a column's value in the row. Where an attribute and a relation give one
 * column two values, the one that it already holds does not count: clients send back what they read.
 */
export function changedColumns(
  given: readonly GivenValue[],
  dataclass: Dataclass,
  currentText: (column: Column) => string | null,
): ColumnValue[] {
  return byColumn(given).flatMap((candidates): ColumnValue[] => {
    const refusal = candidates.find((candidate) => candidate.refusal !== undefined)?.refusal;
    if (refusal !== undefined) throw refusal;
    const current = currentText(candidates[0].column);
    const [first, ...others] = candidates.filter(
      ({ value, type }) => !isSameValue(current, value, type),
    );
    if (first === undefined) return [];
    const filled = candidates.find(({ slot }) => slot.filled === true);
    if (filled !== undefined && !isSameStored(first.value, filled.value, first.type)) {
      throw contradiction(first, filled);
    }
    if (isOfKey(first.column, dataclass)) {
      throw readOnlyError(
        first.slot,
        'it is part of the key, and the key of an entity does not change',
      );
    }
    if (first.slot.readOnly !== null) throw readOnlyError(first.slot, first.slot.readOnly);
    const other = others.find(({ value }) => !isSameStored(first.value, value, first.type));
    if (other !== undefined) throw contradiction(first, other);
    checkValue(first);
    return [first];
  });
}

type Candidates = readonly [GivenValue, ...GivenValue[]];

/** Groups values by column, in table order, so that equal sets of columns make equal statements. */
function byColumn(given: readonly GivenValue[]): Candidates[] {
  const groups: [GivenValue, ...GivenValue[]][] = [];
  for (const value of given.toSorted(byPosition)) {
    const last = groups.at(-1);
    if (last?.[0].column.name === value.column.name) last.push(value);
    else groups.push([value]);
  }
  return groups;
}

function byPosition(a: GivenValue, b: GivenValue): number {
  return a.column.position - b.column.position;
}

function isOfKey({ name }: Column, { key }: Dataclass): boolean {
  return key.some(({ column }) => column.name === name);
}

function isSameStored(a: StoredValue, b: StoredValue, type: ColumnType): boolean {
  if (isBytes(a) || isBytes(b)) return a === b;
  return isSameValue(a, b, type);
}

function contradiction({ slot: one }: GivenValue, { slot: other }: GivenValue): ProtocolError {
  const message = `${one.member} and ${other.member} say different things of the same value: send one of them.`;
  return new ProtocolError('keyMismatch', message).about(one.own ?? one.member);
}

function checkValue({ value, slot: { column, member }, dangling }: GivenValue): void {
  if (value === null && !column.nullable) throw mandatory(member);
  if (dangling !== undefined) throw new ProtocolError('brokenReference', dangling).about(member);
}

function mandatory(member: string): ProtocolError {
  const message = `${member} is mandatory: it needs a value.`;
  return new ProtocolError('mandatoryMissing', message).about(member);
}

/**
 * Takes out values equal to what the client would read: a client that sends back what it read changes nothing, also where the answer says less than
 * the row holds (NaN and a reference to no entity read as null). References are looked up by one statement for each relation.
 */
export async function withoutRepetitions<Entity extends PlannedEntity>(
  found: readonly WithRow<Entity>[],
  attempt: Attempt,
): Promise<readonly WithRow<Entity>[]> {
  const leading = await leadingReferences(found, attempt);
  return found.map(([entity, row]): WithRow<Entity> => {
    if (row === null) return [entity, row];
    const given = entity.given.filter((value) => !isRepeated(value, row, leading));
    return [given.length === entity.given.length ? entity : { ...entity, given }, row];
  });
}

function isRepeated(
  value: GivenValue,
  row: CurrentRow,
  found: ReadonlyMap<Relation, RowsByKey>,
): boolean {
  const { bodyValue } = value;
  const { clearing, leading, column } = value.slot;
  if (clearing !== undefined) {
    const reference = referenceOf(clearing, row);
    if (reference.includes(null)) return true;
    return isLookedUp(clearing) && found.get(clearing)?.has(keyId(reference)) === false;
  }
  if (leading !== undefined) {
    const [hop] = leading.hops;
    const at = hop.from.indexOf(column);
    const type = hop.to[at]?.type;
    const text = found.get(leading)?.get(keyId(referenceOf(leading, row)))?.[at];
    return type !== undefined && text !== undefined && isSameValue(text, value.value, type);
  }
  return bodyValue !== undefined && isAnswered(value, bodyValue, row);
}

/** Whether the value in a body is the answer for the attribute. */
function isAnswered(given: GivenValue, bodyValue: JsonValue, row: CurrentRow): boolean {
  const { column, type, value } = given;
  const isJson = type.kind === 'json' && type.items === undefined;
  const written = isJson && typeof value === 'string' ? value : undefined;
  if (written !== undefined || type.kind === 'text' || type.kind === 'opaque') {
    const current = row.column(column.name);
    if (isLong(current) || isLong(bodyValue)) return isLongAnswered(current, bodyValue, written);
  }
  const answered = row.json(column.name);
  return answered !== null && isJsonOf(answered, bodyValue, written);
}

/** Longer values are neither written as JSON nor compared in parts, which would block the event loop. */
function isLong(value: JsonValue): boolean {
  return typeof value === 'string' && value.length > COMPARED_JSON;
}

/** @param written the value as JSON text, where it is stored as such */
function isLongAnswered(current: string | null, bodyValue: JsonValue, written?: string): boolean {
  if (current === null) return bodyValue === null;
  if (current === written) return true;
  // The check mostly ends at the first few characters of text that is not JSON.
  return current === bodyValue && (written === undefined || !atOnce(jsonCheck(current)));
}

/** Looks up references where only the engine can tell whether a body repeats them. */
async function leadingReferences(
  found: readonly WithRow<PlannedEntity>[],
  attempt: Attempt,
): Promise<ReadonlyMap<Relation, RowsByKey>> {
  const wanted = new Map<Relation, InputRow[]>();
  for (const [{ given }, row] of found) {
    if (row === null) continue;
    const relations = given.flatMap(({ slot: { clearing, leading } }) => clearing ?? leading ?? []);
    for (const relation of new Set(relations)) {
      const reference = referenceOf(relation, row);
      if (reference.includes(null) || !needsLookup(relation, given, row)) continue;
      addTo(wanted, relation, reference);
    }
  }
  return lookUpAll('referred', wanted, attempt);
}

/** Whether the row's reference may read as the null that it is given, or lead to the entity that it is given in another spelling. */
function needsLookup(relation: Relation, given: readonly GivenValue[], row: CurrentRow): boolean {
  const values = given.filter(({ slot }) => slot.leading === relation);
  if (values.length === 0) return isLookedUp(relation);
  const spellings = values.map(({ column, type, value }) => {
    const current = row.column(column.name);
    if (isSameValue(current, value, type)) return 'same';
    const isText = type.kind === 'text' && current !== null && value !== null && !isBytes(value);
    return isText && mayBeSameText(current, value) ? 'like' : 'other';
  });
  return spellings.includes('like') && !spellings.includes('other');
}

const alike = new Intl.Collator('und', { sensitivity: 'base' });

/** Whether two texts may be equal under some collation: apart from case, accents and blanks at the end. */
function mayBeSameText(one: string, other: string): boolean {
  return alike.compare(withoutPadding(one), withoutPadding(other)) === 0;
}

/** Whether a reference is read from the row that it leads to, not from its own columns. */
function isLookedUp({ target, hops }: Relation): boolean {
  const isDirect = target.key.every(({ column }) =>
    hops[0].to.some(({ name }) => name === column.name),
  );
  return target.where !== null || !isDirect;
}

function referenceOf({ hops }: Relation, row: CurrentRow | null): readonly (string | null)[] {
  return hops[0].from.map(({ name }) => row?.column(name) ?? null);
}

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
  entities: readonly PlannedEntity[],
  attempt: Attempt,
): Promise<OrFailed<PlannedEntity>[]> {
  const wanted = new Map<Relation, InputRow[]>();
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

function resolvedValues(
  { given, related }: PlannedEntity,
  found: ReadonlyMap<Relation, RowsByKey>,
  dataclass: Dataclass,
): readonly GivenValue[] {
  let values = given;
  for (const { relation, key } of related) {
    const texts = found.get(relation)?.get(keyId(key));
    const member = `${dataclass.name}.${relation.name}`;
    const isKnown = values.some(({ slot }) => slot.member === member);
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
    values = values.map((value) =>
      value.slot.member === member ? value.leadingNowhere(dangling) : value,
    );
  }
  return values;
}

/** An element that is about to be written. */
interface WrittenRow {
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
  return restrictedRelations(dataclass).flatMap(({ hops }) => hops[0].from);
}

/** Refuses references to rows outside of a restriction, which no foreign key knows. */
export async function refuseRestricted<Item extends WrittenRow>(
  items: readonly Item[],
  kind: WriteKind,
  attempt: Attempt,
): Promise<readonly OrFailed<Item>[]> {
  const { dataclass, nested } = attempt;
  const refused = new Map<Item, ProtocolError>();
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
 * The reference of a relation once the item is written; null where it is null or unchanged. One that the body gives through the relation is looked
 * up in any case: the user reads hidden entities as null, so that their keys can only be guessed.
 */
function newReference(
  relation: Relation,
  { columns, changed, current, leading }: WrittenRow,
): readonly string[] | null {
  const written = new Map(
    columns
      .filter(({ column }) => changed?.has(column.name) ?? true)
      .map(({ column, value }) => [column.name, value]),
  );
  const [{ from }] = relation.hops;
  const isLed = leading?.has(relation) === true;
  if (!isLed && !from.some(({ name }) => written.has(name))) return null;
  const parts = from.map(({ name }) =>
    written.has(name) ? written.get(name) : current?.column(name),
  );
  return parts.every((part) => typeof part === 'string') ? parts : null;
}
