import { ProtocolError } from '../../base/errors.ts';
import { isStored, type Dataclass } from '../../model/types.ts';
import type { AssignedColumn } from '../../plan/write/write-queries.ts';
import type { Column, ColumnType } from '../../schema/types.ts';
import { isBytes, isSameValue, type StoredValue } from '../convert/stored-value.ts';
import type { GivenValue } from '../convert/types.ts';

/** A column and what it is to hold. */
export interface ColumnValue {
  readonly column: Column;
  readonly type: ColumnType;
  readonly value: StoredValue;
}

/** A column without its value: what the text of a statement depends on. */
export function assignedColumn({ column, type, value }: ColumnValue): AssignedColumn {
  return { column, type, from: isBytes(value) ? 'bytes' : 'cell' };
}

/** What the rows of a statement hold: all but the bytes, which are parameters of their own. */
export function cells(columns: readonly ColumnValue[]): (string | null)[] {
  return columns.flatMap(({ value }) => (isBytes(value) ? [] : [value]));
}

/** The bytes that columns are given, in the order of their assignments. */
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
 * The columns of an existing row that a save changes; none where it changes nothing. Where an attribute and a relation
 * give one column two values, the one that the column holds already says nothing: clients send back what they read.
 * @param currentText the text that a column holds; null for null
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

/** What is given by column, in table order, so that equal sets of columns make equal statements. */
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
