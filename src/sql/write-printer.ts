import type { Assignment, ColumnRef, RowMatch } from './ir/ir.ts';
import type { ColumnType } from '../schema/types.ts';

/** A field of the JSON rows that a statement writes: `[ordinal, field, …]`. */
export interface RowField {
  /** Its name in the source `k`: `k0`, … for key parts, `s` for a stamp, `h0`, … for what columns held, `c0`, … for cells. */
  readonly name: string;
  readonly type: ColumnType;
  /** Its index in a row. */
  readonly at: number;
}

/** A column and what it is given: the same as the IR's, with where the value stands. */
export interface Placed {
  readonly column: ColumnRef;
  readonly value:
    | { readonly kind: 'cell'; readonly field: RowField }
    | { readonly kind: 'bytes'; readonly index: number }
    | { readonly kind: 'firstStamp' | 'now' | 'same' }
    | { readonly kind: 'nextStamp'; readonly bits: 53 | 31 };
}

/** What stands where in the rows of one statement. */
export interface RowLayout {
  /** All fields in the order of the row, without the ordinal. */
  readonly fields: readonly RowField[];
  readonly key: readonly RowField[];
  readonly stamp: RowField | null;
  readonly held: readonly RowField[];
  readonly placed: readonly Placed[];
}

/** The layout that {@link Assignment} and {@link RowMatch} ask for: key parts, the stamp where it is checked, the cells. */
export function layOut(
  match: RowMatch | null,
  assignments: readonly Assignment[],
  stampType: ColumnType,
): RowLayout {
  const fields: RowField[] = [];
  const add = (name: string, type: ColumnType): RowField => {
    const field = { name, type, at: fields.length + 1 };
    fields.push(field);
    return field;
  };
  const key = (match?.key ?? []).map(({ type }, index) => add(`k${index}`, type));
  const stamp = (match?.stamp ?? null) === null ? null : add('s', stampType);
  const held = (match?.held ?? []).map(({ type }, index) => add(`h${index}`, type));
  let cells = 0;
  let bytes = 0;
  const placed = assignments.map(({ column, value }): Placed => {
    switch (value.kind) {
      case 'cell': {
        const field = add(`c${cells}`, column.type);
        cells += 1;
        return { column, value: { kind: 'cell', field: field } };
      }
      case 'bytes': {
        const index = bytes;
        bytes += 1;
        return { column, value: { kind: 'bytes', index } };
      }
      case 'firstStamp':
      case 'nextStamp':
      case 'now':
      case 'same':
        return { column, value };
    }
  });
  return { fields, key, stamp, held, placed };
}

/** Whether a field is compared with its row, and not given to it. */
export function isCompared(field: RowField, { key, stamp, held }: RowLayout): boolean {
  return field === stamp || key.includes(field) || held.includes(field);
}

/** How a dialect writes the values that a column can be given. */
export interface ValueForms {
  readonly cell: (column: ColumnRef, field: RowField) => string;
  readonly bytes: (index: number) => string;
  /** An integer constant that may be larger than an int. */
  readonly bigint: (digits: string) => string;
  /** The column of the row that is changed. */
  readonly columnName: (column: ColumnRef) => string;
  readonly now: (type: ColumnType) => string;
}

/** What a column is given, as an expression. */
export function assignedValue({ column, value }: Placed, forms: ValueForms): string {
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

/** What an UPDATE sets: each column to its value, in their order. */
export function setClause(
  assignments: readonly Assignment[],
  values: readonly string[],
  identifier: (name: string) => string,
): string {
  return assignments
    .map(({ column }, index) => `${identifier(column.name)} = ${values[index] ?? ''}`)
    .join(', ');
}

/** Behind this value a counter begins again. */
function highestCounter(type: ColumnType): bigint {
  if (type.kind !== 'integer') throw new Error(`a column of ${type.native} cannot count`);
  return 2n ** BigInt(type.signed ? type.bits - 1 : type.bits) - 1n;
}
