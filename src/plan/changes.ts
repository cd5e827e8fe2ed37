import { ProtocolError } from '../base/errors.ts';
import { isRelation, type Dataclass } from '../model/types.ts';
import type { Column, ColumnType } from '../schema/types.ts';
import type { GivenValue } from './planned-entity.ts';
import { Content, isSameValue, type StoredValue } from './stored-value.ts';

/** A column and what it is to hold. */
export interface ColumnValue {
  readonly column: Column;
  readonly type: ColumnType;
  readonly value: StoredValue;
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

/**
 * The key columns of a new row whose values are the database's: those that it makes up, those whose values it may round or
 * write in a form of its own, and all where a trigger may change the row.
 */
export function untoldKey(columns: readonly ColumnValue[], { key, table }: Dataclass): Column[] {
  const given = new Set(columns.map(({ column }) => column.name));
  if (table.beforeInsert === true) return key.map(({ column }) => column);
  // A trigger that stands in for the statement says nothing of what became of the values.
  const isInstead = table.instead?.includes('insert') ?? false;
  return key
    .map(({ column }) => column)
    .filter(({ name, type }) => !given.has(name) || (!isInstead && OWN_FORM.has(type.kind)));
}

/** Types of which a column may hold another value, or another text, than the one that it is given. */
const OWN_FORM: ReadonlySet<ColumnType['kind']> = new Set(['timestamp', 'time', 'opaque']);

/** The first attribute or relation whose column needs a value and has none. */
function missingMember(present: ReadonlySet<string>, { members }: Dataclass): string | null {
  const isMissing = ({ name, nullable, hasDefault, identity, computed }: Column): boolean =>
    !present.has(name) && !nullable && !hasDefault && !identity && !computed;
  for (const member of members.values()) {
    if (!isRelation(member)) {
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
 * @param held the text that a column holds; null for null
 * @throws ProtocolError readOnlyAttribute, mandatoryMissing, keyMismatch
 */
export function changedColumns(
  given: readonly GivenValue[],
  dataclass: Dataclass,
  held: (column: Column) => string | null,
): ColumnValue[] {
  const keyColumns = new Set(dataclass.key.map(({ column }) => column.name));
  return byColumn(given).flatMap((candidates): ColumnValue[] => {
    const present = held(candidates[0].column);
    const [first, ...others] = candidates.filter(
      ({ value, type }) => !isSameValue(present, value, type),
    );
    if (first === undefined) return [];
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
  if (a instanceof Content || b instanceof Content) return a === b;
  return isSameValue(a, b, type);
}

function readOnly({ member }: GivenValue, why: string): ProtocolError {
  return new ProtocolError('readOnlyAttribute', `${member} is read only: ${why}.`);
}

function contradiction(one: GivenValue, other: GivenValue): ProtocolError {
  return new ProtocolError(
    'keyMismatch',
    `${one.member} and ${other.member} say different things of the same value: send one of them.`,
  );
}

function checkValue({ value, column, member, dangling }: GivenValue): void {
  if (value === null && !column.nullable) throw mandatory(member);
  if (dangling !== undefined) throw new ProtocolError('brokenReference', dangling);
}

function mandatory(member: string): ProtocolError {
  return new ProtocolError('mandatoryMissing', `${member} is mandatory: it needs a value.`);
}
