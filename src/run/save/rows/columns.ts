import { Mistakes, ProtocolError } from '../../../base/errors.ts';
import { type Dataclass, isStored } from '../../../model/types.ts';
import type { AssignedColumn } from '../../../plan/write/write-queries.ts';
import { fillsIn, needsValue } from '../../../schema/type-rules.ts';
import type { Column } from '../../../schema/types.ts';
import { readOnlyError } from '../../body/slots.ts';
import { isBytes, isSameValue, type StoredValue } from '../../convert/stored-value.ts';
import { type EntityValues, perShape, type Shape, type Slot } from '../../convert/entity-values.ts';

/** The slots of a shape that are for one column, by their places in the order of the body. */
export interface SameColumn {
  readonly column: Column;
  readonly places: readonly [first: number, ...others: number[]];
}

/** Groups the slots of a shape by column, in table order, so that equal sets of columns make equal statements. */
export const byColumn = perShape(({ slots }): readonly SameColumn[] => {
  const groups = new Map<string, { column: Column; places: [number, ...number[]] }>();
  for (const [at, { column }] of slots.entries()) {
    const group = groups.get(column.name);
    if (group === undefined) groups.set(column.name, { column, places: [at] });
    else group.places.push(at);
  }
  return [...groups.values()].sort((a, b) => a.column.position - b.column.position);
});

/** A column that is given a value by a slot. */
export function assigned({ column, type }: Slot, isNull: boolean): AssignedColumn {
  return { column, type, from: type.kind === 'binary' && !isNull ? 'bytes' : 'cell' };
}

/**
 * The place of the value that a save gives each column of an existing row, see {@link byColumn}; null for a column that stays as it is. Where an
 * attribute and a relation give one column two values, the one that it already holds does not count: clients send back what they read.
 * @throws ProtocolError for all columns that cannot be given their values
 */
export function changedPlaces(
  given: EntityValues,
  currentText: (column: Column) => string | null,
): (number | null)[] {
  const mistakes = new Mistakes();
  const changed = byColumn(given.shape).map((group) =>
    mistakes.check(group.places[0], () => changedPlace(group, given, currentText)),
  );
  mistakes.throwAny();
  return changed;
}

function changedPlace(
  { column, places }: SameColumn,
  given: EntityValues,
  currentText: (column: Column) => string | null,
): number | null {
  const { shape, values, doubts } = given;
  const { slots, nulls, dataclass } = shape;
  const refusal = places.map((at) => doubts?.get(at)?.refusal).find((one) => one !== undefined);
  if (refusal !== undefined) throw refusal;
  const current = currentText(column);
  const [first, ...others] = places.filter((at) => {
    const type = slots[at]?.type;
    return type !== undefined && !isSameValue(current, values[at] ?? null, type);
  });
  const slot = first === undefined ? undefined : slots[first];
  if (first === undefined || slot === undefined) return null;
  const filled = places.find((at) => slots[at]?.filled === true);
  if (filled !== undefined && !isSameGiven(given, first, filled)) {
    throw contradiction(shape, first, filled);
  }
  if (isOfKey(column, dataclass)) {
    throw readOnlyError(slot, 'it is part of the key, and the key of an entity does not change');
  }
  if (slot.readOnly !== null) throw readOnlyError(slot, slot.readOnly);
  const other = others.find((at) => !isSameGiven(given, first, at));
  if (other !== undefined) throw contradiction(shape, first, other);
  if (nulls[first] === true && !column.nullable) throw mandatory(slot.member);
  checkReference(given, first);
  return first;
}

/** The columns that a row is written with, and their values. */
interface WrittenColumns {
  readonly columns: readonly AssignedColumn[];
  readonly cells: readonly StoredValue[];
}

/** What is the same for the new rows of a shape. */
interface NewRow {
  /** The columns that are written, in table order. */
  readonly columns: readonly AssignedColumn[];
  readonly groups: readonly NewColumn[];
  /** The columns that need a value and have none, each with the attribute or relation that would give it. */
  readonly missing: readonly { readonly column: Column; readonly member: string }[];
  /** Whether the rows of the shape differ in their values alone, and nothing can stand against one. */
  readonly isPlain: boolean;
}

interface NewColumn extends SameColumn {
  /** Why it is given no value; null where it may be given one. */
  readonly mistake: (() => ProtocolError) | null;
}

const newRowOf = perShape((shape): NewRow => {
  const { slots, nulls, dataclass } = shape;
  // Where the column holds null, null is a value; elsewhere it leaves the column to the database, if that fills it in.
  const isLeftOut = ({ column, readOnly }: Slot): boolean =>
    readOnly !== null ||
    isOfKey(column, dataclass) ||
    (!column.nullable && (column.hasDefault || fillsIn(dataclass.table)));
  const isWanted = (at: number): boolean => {
    const slot = slots[at];
    return slot !== undefined && (nulls[at] === false || !isLeftOut(slot));
  };
  const columns: AssignedColumn[] = [];
  const groups: NewColumn[] = [];
  for (const { places } of byColumn(shape)) {
    const [first, ...others] = places.filter(isWanted);
    const slot = first === undefined ? undefined : slots[first];
    if (first === undefined || slot === undefined) continue;
    const { readOnly } = slot;
    const mistake =
      readOnly !== null
        ? () => readOnlyError(slot, readOnly)
        : nulls[first] === true && !slot.column.nullable
          ? () => mandatory(slot.member)
          : null;
    columns.push(assigned(slot, nulls[first] === true));
    groups.push({ column: slot.column, places: [first, ...others], mistake });
  }
  const missing = missingColumns(columns, dataclass);
  return {
    columns,
    groups,
    missing,
    isPlain:
      missing.length === 0 &&
      groups.every(({ places, mistake }) => mistake === null && places.length === 1),
  };
});

/** The columns that need a value and have none, each with the first attribute or relation that stands on it. */
function missingColumns(
  present: readonly { readonly column: Column }[],
  { name, members, table }: Dataclass,
): NewRow['missing'] {
  const given = new Set(present.map(({ column }) => column.name));
  const missing: { column: Column; member: string }[] = [];
  for (const member of members.values()) {
    let columns: readonly Column[] = [];
    if (isStored(member)) columns = member.readOnly === null ? [member.column] : [];
    else if (member.kind === 'relatedEntity') columns = member.hops[0].from;
    const column = columns.find((one) => needsValue(one, table) && !given.has(one.name));
    if (column === undefined) continue;
    for (const one of columns) given.add(one.name);
    missing.push({ column, member: `${name}.${member.name}` });
  }
  return missing;
}

/** The columns of the new rows of a shape. */
export function newRowColumns(shape: Shape): readonly AssignedColumn[] {
  return newRowOf(shape).columns;
}

/** The columns of a new row, and their values. @throws ProtocolError readOnlyAttribute, mandatoryMissing, keyMismatch for two values of a column, for all of them */
export function newColumns(given: EntityValues): WrittenColumns {
  mistakesOfNew(given)?.throwAny();
  const { columns, groups } = newRowOf(given.shape);
  return { columns, cells: groups.map(({ places: [first] }) => given.values[first] ?? null) };
}

/** Why columns cannot hold the values that they are given, in their order. */
export function refusalsIn({ doubts }: EntityValues): Mistakes {
  const mistakes = new Mistakes();
  for (const [at, { refusal }] of doubts ?? []) {
    if (refusal !== undefined) mistakes.add(at, refusal);
  }
  return mistakes;
}

/**
 * Why a new row cannot be written with values, in their order, and last what is missing; null where nothing is against it.
 * @param filled tells the columns that get their values later
 */
export function mistakesOfNew(
  given: EntityValues,
  filled: () => readonly Column[] = () => [],
): Mistakes | null {
  const { shape, doubts } = given;
  const { groups, missing, isPlain } = newRowOf(shape);
  if (isPlain && doubts === null) return null;
  const mistakes = refusalsIn(given);
  const told = new Set<string>();
  for (const [at, { refusal }] of doubts ?? []) {
    const column = shape.slots[at]?.column;
    if (refusal !== undefined && column !== undefined) told.add(column.name);
  }
  for (const { column, places, mistake } of groups) {
    if (told.has(column.name)) continue;
    const [first, ...others] = places;
    mistakes.check(first, () => {
      if (mistake !== null) throw mistake();
      checkReference(given, first);
      const other = others.find((at) => !isSameGiven(given, first, at));
      if (other !== undefined) throw contradiction(shape, first, other);
    });
  }
  for (const { name } of missing.length === 0 ? [] : filled()) told.add(name);
  for (const { column, member } of missing) {
    if (!told.has(column.name)) mistakes.add(Infinity, mandatory(member));
  }
  return mistakes.count === 0 ? null : mistakes;
}

function isOfKey({ name }: Column, { key }: Dataclass): boolean {
  return key.some(({ column }) => column.name === name);
}

export function isSameGiven({ shape, values }: EntityValues, one: number, other: number): boolean {
  const [a = null, b = null] = [values[one], values[other]];
  const type = shape.slots[one]?.type;
  if (isBytes(a) || isBytes(b) || type === undefined) return a === b;
  return isSameValue(a, b, type);
}

function contradiction({ slots }: Shape, at: number, otherAt: number): ProtocolError {
  const [one, other] = [slots[at], slots[otherAt]];
  const message = `${one?.member ?? ''} and ${other?.member ?? ''} say different things of the same value: send one of them.`;
  return new ProtocolError('keyMismatch', message).about(one?.own ?? one?.member ?? '');
}

/** @throws ProtocolError brokenReference for a value that is a reference to no entity */
function checkReference({ shape, doubts }: EntityValues, at: number): void {
  const dangling = doubts?.get(at)?.dangling;
  if (dangling === undefined) return;
  throw new ProtocolError('brokenReference', dangling).about(shape.slots[at]?.member ?? '');
}

function mandatory(member: string): ProtocolError {
  const message = `${member} is mandatory: it needs a value.`;
  return new ProtocolError('mandatoryMissing', message).about(member);
}
