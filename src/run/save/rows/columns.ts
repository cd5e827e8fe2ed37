import { ProtocolError } from '../../../base/errors.ts';
import type { Dataclass } from '../../../model/types.ts';
import type { AssignedColumn } from '../../../plan/write/write-queries.ts';
import type { Column } from '../../../schema/types.ts';
import { readOnlyError } from '../../body/slots.ts';
import { isBytes, isSameValue } from '../../convert/stored-value.ts';
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
 */
export function changedPlaces(
  given: EntityValues,
  currentText: (column: Column) => string | null,
): (number | null)[] {
  const { shape, values, doubts } = given;
  const { slots, nulls, dataclass } = shape;
  return byColumn(shape).map(({ column, places }) => {
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
  });
}

export function isOfKey({ name }: Column, { key }: Dataclass): boolean {
  return key.some(({ column }) => column.name === name);
}

export function isSameGiven({ shape, values }: EntityValues, one: number, other: number): boolean {
  const [a = null, b = null] = [values[one], values[other]];
  const type = shape.slots[one]?.type;
  if (isBytes(a) || isBytes(b) || type === undefined) return a === b;
  return isSameValue(a, b, type);
}

export function contradiction({ slots }: Shape, at: number, otherAt: number): ProtocolError {
  const [one, other] = [slots[at], slots[otherAt]];
  const message = `${one?.member ?? ''} and ${other?.member ?? ''} say different things of the same value: send one of them.`;
  return new ProtocolError('keyMismatch', message).about(one?.own ?? one?.member ?? '');
}

/** @throws ProtocolError brokenReference for a value that is a reference to no entity */
export function checkReference({ shape, doubts }: EntityValues, at: number): void {
  const dangling = doubts?.get(at)?.dangling;
  if (dangling === undefined) return;
  throw new ProtocolError('brokenReference', dangling).about(shape.slots[at]?.member ?? '');
}

export function mandatory(member: string): ProtocolError {
  const message = `${member} is mandatory: it needs a value.`;
  return new ProtocolError('mandatoryMissing', message).about(member);
}
