import type { AssignedValue, Assignment, ColumnRef, RowMatch } from './ir/ir.ts';
import type { ColumnType } from '../schema/types.ts';
import { identifier } from './syntax.ts';

/** A field of the JSON rows that a statement writes: `[ordinal, field, …]`. */
export interface RowField {
  /** Its name in the source `k`: `k0`, … for key parts, `s` for a stamp, `h0`, … for held columns, `c0`, … for cells. */
  readonly name: string;
  readonly type: ColumnType;
  /** Its index in a row. */
  readonly at: number;
  /** Whether it is compared with its row, and not assigned. */
  readonly isCompared: boolean;
}

/** A column and the value that it is given, with the value's position. */
export interface PlacedValue {
  readonly column: ColumnRef;
  readonly value:
    | { readonly kind: 'cell'; readonly field: RowField }
    | { readonly kind: 'bytes'; readonly index: number }
    | Exclude<AssignedValue, { readonly kind: 'cell' | 'bytes' }>;
}

/** The fields of the rows of one statement. */
export interface RowLayout {
  /** All fields in the order of the row, without the ordinal. */
  readonly fields: readonly RowField[];
  readonly key: readonly RowField[];
  readonly stamp: RowField | null;
  readonly held: readonly RowField[];
  readonly values: readonly PlacedValue[];
}

/** Lays a row out: the key parts, the stamp if it is checked, what columns held, the cells. */
export function layOut(
  match: RowMatch | null,
  assignments: readonly Assignment[],
  stampType: ColumnType,
): RowLayout {
  const fields: RowField[] = [];
  const add = (name: string, type: ColumnType, isCompared: boolean): RowField => {
    const field = { name, type, at: fields.length + 1, isCompared };
    fields.push(field);
    return field;
  };
  const key = (match?.key ?? []).map(({ type }, index) => add(`k${index}`, type, true));
  const stamp = (match?.stamp ?? null) === null ? null : add('s', stampType, true);
  const held = (match?.held ?? []).map(({ type }, index) => add(`h${index}`, type, true));
  let cells = 0;
  let bytes = 0;
  const values = assignments.map(({ column, value }): PlacedValue => {
    if (value.kind === 'cell') {
      const field = add(`c${cells}`, column.type, false);
      cells += 1;
      return { column, value: { kind: 'cell', field } };
    }
    if (value.kind !== 'bytes') return { column, value };
    bytes += 1;
    return { column, value: { kind: 'bytes', index: bytes - 1 } };
  });
  return { fields, key, stamp, held, values };
}

/** How a dialect writes the values that a column can be given. */
export interface ValueForms {
  readonly cell: (column: ColumnRef, field: RowField) => string;
  readonly bytes: (index: number) => string;
  readonly bigint: (digits: string) => string;
  /** The column of the row that is changed. */
  readonly columnName: (column: ColumnRef) => string;
  readonly now: (type: ColumnType) => string;
}

/** The value of a column as an expression. */
export function assignedValue({ column, value }: PlacedValue, forms: ValueForms): string {
  switch (value.kind) {
    case 'cell':
      return forms.cell(column, value.field);
    case 'bytes':
      return forms.bytes(value.index);
    case 'firstStamp':
      return '1';
    case 'nextStamp': {
      const name = forms.columnName(column);
      const [last, lastStamp] = [highestCounter(column.type), 2n ** BigInt(value.bits) - 1n];
      const bits = forms.bigint(lastStamp.toString());
      const further = last > lastStamp ? ` WHEN ${name} & ${bits} = ${bits} THEN ${name} + 2` : '';
      const highest = forms.bigint(last.toString());
      return `CASE WHEN ${name} IS NULL OR ${name} >= ${highest} THEN 1${further} ELSE ${name} + 1 END`;
    }
    case 'now':
      return forms.now(column.type);
    case 'same':
      return forms.columnName(column);
  }
}

/** The assignments of an UPDATE. */
export function setClause(assignments: readonly Assignment[], values: readonly string[]): string {
  return assignments
    .map(({ column }, index) => `${identifier(column.name)} = ${values[index] ?? ''}`)
    .join(', ');
}

/** The value behind which a counter begins again. */
function highestCounter(type: ColumnType): bigint {
  if (type.kind !== 'integer') throw new Error(`a column of ${type.native} cannot count`);
  return 2n ** BigInt(type.signed ? type.bits - 1 : type.bits) - 1n;
}
