import { addTo } from '../../../base/collections.ts';
import { ProtocolError } from '../../../base/errors.ts';
import { withoutPadding } from '../../../base/text.ts';
import { atOnce } from '../../../base/time-slice.ts';
import { isStored, type Dataclass, type Relation } from '../../../model/types.ts';
import type { AssignedColumn } from '../../../plan/write/write-queries.ts';
import type { JsonValue } from '../../../protocol/body/json-value.ts';
import type { Column, ColumnType } from '../../../schema/types.ts';
import { jsonCheck } from '../../../sql/json-check.ts';
import { COMPARED_JSON, isJsonOf } from '../../convert/same-json.ts';
import { isBytes, isSameValue, type StoredValue } from '../../convert/stored-value.ts';
import type { ColumnValue, GivenValue, PlannedEntity } from '../../convert/types.ts';
import type { Attempt } from '../../write/attempt.ts';
import { type FoundRows, lookUpAll } from '../references.ts';
import { type CurrentRow, keyId, type WithRow } from './current-rows.ts';

/** A column without its value, which the text of a statement depends on. */
export function assignedColumn({ column, type, value }: ColumnValue): AssignedColumn {
  return { column, type, from: isBytes(value) ? 'bytes' : 'cell' };
}

/** The values in the rows of a statement: all but bytes, which are parameters of their own. */
export function cells(columns: readonly ColumnValue[]): (string | null)[] {
  return columns.flatMap(({ value }) => (isBytes(value) ? [] : [value]));
}

/** The bytes for columns, in the order of their assignments. */
export function bytesOf(columns: readonly ColumnValue[]): Uint8Array[] {
  return columns.map(({ value }) => value).filter(isBytes);
}

/**
 * The columns of a new row.
 * @throws ProtocolError readOnlyAttribute, mandatoryMissing, or keyMismatch where two members want different values of a column
 */
export function newColumns(given: readonly GivenValue[], dataclass: Dataclass): ColumnValue[] {
  const keyColumns = new Set(dataclass.key.map(({ column }) => column.name));
  const wanted = given.filter(
    ({ column, readOnly, value }) =>
      value !== null || !(readOnly || keyColumns.has(column.name) || column.hasDefault),
  );
  const columns = byColumn(wanted).map((candidates): ColumnValue => {
    const [first, ...others] = candidates;
    if (first.readOnly) throw readOnly(first, 'it is filled in when the entity is created');
    const other = others.find(({ value }) => !isSameStored(first.value, value, first.type));
    if (other !== undefined) throw contradiction(first, other);
    checkValue(first);
    return first;
  });
  const missing = missingMember(new Set(columns.map(({ column }) => column.name)), dataclass);
  if (missing !== null) throw mandatory(`${dataclass.name}.${missing}`);
  return columns;
}

/** The first attribute or relation whose column needs a value and has none. */
function missingMember(present: ReadonlySet<string>, { members }: Dataclass): string | null {
  const isMissing = ({ name, nullable, hasDefault, identity, computed }: Column): boolean =>
    !present.has(name) && !nullable && !hasDefault && !identity && !computed;
  for (const member of members.values()) {
    if (isStored(member)) {
      if (!member.readOnly && isMissing(member.column)) return member.name;
    } else if (member.kind === 'relatedEntity' && member.hops[0]?.from.some(isMissing) === true) {
      return member.name;
    }
  }
  return null;
}

/**
 * The columns of an existing row that a save changes. Where an attribute and a relation give one column two values, the one that the column
 * already holds does not count: clients send back what they read.
 * @param currentText the value of a column in the row
 * @throws ProtocolError readOnlyAttribute, mandatoryMissing, keyMismatch, and why a column cannot hold what it is given
 */
export function changedColumns(
  given: readonly GivenValue[],
  dataclass: Dataclass,
  currentText: (column: Column) => string | null,
): ColumnValue[] {
  const keyColumns = new Set(dataclass.key.map(({ column }) => column.name));
  return byColumn(given).flatMap((candidates): ColumnValue[] => {
    const refusal = candidates.find((candidate) => candidate.refusal !== undefined)?.refusal;
    if (refusal !== undefined) throw refusal;
    const current = currentText(candidates[0].column);
    const [first, ...others] = candidates.filter(
      ({ value, type }) => !isSameValue(current, value, type),
    );
    if (first === undefined) return [];
    const filled = candidates.find((candidate) => candidate.filled === true);
    if (filled !== undefined && !isSameStored(first.value, filled.value, first.type)) {
      throw contradiction(first, filled);
    }
    if (keyColumns.has(first.column.name)) {
      throw readOnly(first, 'it is part of the key, and the key of an entity does not change');
    }
    if (first.readOnly) throw readOnly(first, 'only the value it has may be sent back');
    const other = others.find(({ value }) => !isSameStored(first.value, value, first.type));
    if (other !== undefined) throw contradiction(first, other);
    checkValue(first);
    return [first];
  });
}

type Candidates = readonly [GivenValue, ...GivenValue[]];

/** Groups values by column, in table order, so that equal sets of columns make equal statements. */
function byColumn(given: readonly GivenValue[]): Candidates[] {
  const columns = new Map<string, [GivenValue, ...GivenValue[]]>();
  for (const value of given) {
    const known = columns.get(value.column.name);
    if (known === undefined) columns.set(value.column.name, [value]);
    else known.push(value);
  }
  return [...columns.values()].sort(([a], [b]) => a.column.position - b.column.position);
}

function isSameStored(a: StoredValue, b: StoredValue, type: ColumnType): boolean {
  if (isBytes(a) || isBytes(b)) return a === b;
  return isSameValue(a, b, type);
}

function readOnly({ member, own = member }: GivenValue, why: string): ProtocolError {
  return new ProtocolError('readOnlyAttribute', `${own} is read only: ${why}.`).about(own);
}

function contradiction(one: GivenValue, other: GivenValue): ProtocolError {
  return new ProtocolError(
    'keyMismatch',
    `${one.member} and ${other.member} say different things of the same value: send one of them.`,
  ).about(one.own ?? one.member);
}

function checkValue({ value, column, member, dangling }: GivenValue): void {
  if (value === null && !column.nullable) throw mandatory(member);
  if (dangling !== undefined) throw new ProtocolError('brokenReference', dangling).about(member);
}

function mandatory(member: string): ProtocolError {
  return new ProtocolError('mandatoryMissing', `${member} is mandatory: it needs a value.`).about(
    member,
  );
}

/**
 * Takes out values that repeat the answer for the row: a client that sends back what it read changes nothing, also where the answer says
 * less than the row holds. A float that is not a number reads as null, text that is not JSON as text, a reference to no entity as null, and
 * a reference that is spelt otherwise as the entity's key. Such references are looked up by one statement for each relation.
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

/** The entities that references of rows lead to, where they were looked up. */
type LeadingReferences = ReadonlyMap<Relation, FoundRows>;

function isRepeated(value: GivenValue, row: CurrentRow, found: LeadingReferences): boolean {
  const { said, clearing, leading, column } = value;
  if (clearing !== undefined) {
    const reference = referenceOf(clearing, row);
    if (reference.includes(null)) return true;
    return isLookedUp(clearing) && found.get(clearing)?.has(keyId(reference)) === false;
  }
  if (leading !== undefined) {
    const [hop] = leading.hops;
    const at = hop?.from.indexOf(column) ?? -1;
    const type = hop?.to[at]?.type;
    const text = found.get(leading)?.get(keyId(referenceOf(leading, row)))?.[at];
    return type !== undefined && text !== undefined && isSameValue(text, value.value, type);
  }
  return said !== undefined && isAnswered(value, said, row);
}

/** Whether the value in a body is the answer for the attribute. */
function isAnswered(given: GivenValue, said: JsonValue, row: CurrentRow): boolean {
  const { column, type, value } = given;
  const isJson = type.kind === 'json' && type.items === undefined;
  const written = isJson && typeof value === 'string' ? value : undefined;
  if (written !== undefined || type.kind === 'text' || type.kind === 'opaque') {
    const current = row.column(column.name);
    if (isLong(current) || isLong(said)) return isLongAnswered(current, said, written);
  }
  const answered = row.json(column.name);
  return answered !== null && isJsonOf(answered, said, written);
}

/** Longer values are neither written as JSON nor compared in parts, which would block the event loop. */
function isLong(value: JsonValue): boolean {
  return typeof value === 'string' && value.length > COMPARED_JSON;
}

/** @param written the value as JSON text, where it is stored as such */
function isLongAnswered(current: string | null, said: JsonValue, written?: string): boolean {
  if (current === null) return said === null;
  if (current === written) return true;
  // The check mostly ends at the first few characters of text that is not JSON.
  return current === said && (written === undefined || !atOnce(jsonCheck(current)));
}

/** Looks up references where only the engine can tell whether a body repeats them. */
async function leadingReferences(
  found: readonly WithRow<PlannedEntity>[],
  attempt: Attempt,
): Promise<LeadingReferences> {
  const doubtful = new Map<Relation, (readonly (string | null)[])[]>();
  for (const [{ given }, row] of found) {
    if (row === null) continue;
    const relations = given.flatMap(({ clearing, leading }) => clearing ?? leading ?? []);
    for (const relation of new Set(relations)) {
      const reference = referenceOf(relation, row);
      if (reference.includes(null) || !isDoubtful(relation, given, row)) continue;
      addTo(doubtful, relation, reference);
    }
  }
  return lookUpAll('referred', doubtful, attempt);
}

/** Whether the row's reference may read as the null that it is given, or lead to the entity that it is given in another spelling. */
function isDoubtful(relation: Relation, given: readonly GivenValue[], row: CurrentRow): boolean {
  const values = given.filter(({ leading }) => leading === relation);
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
    hops[0]?.to.some(({ name }) => name === column.name),
  );
  return target.where !== null || !isDirect;
}

function referenceOf({ hops }: Relation, row: CurrentRow | null): readonly (string | null)[] {
  return (hops[0]?.from ?? []).map(({ name }) => row?.column(name) ?? null);
}
