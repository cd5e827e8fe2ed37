import type { Assignment, ColumnRef, RowMatch } from '../query/ir.ts';
import type { ColumnType } from '../schema/types.ts';

/** A part of the JSON rows that a statement writes: `[ordinal, part, …]`. */
export interface RowPart {
  /** Its name in the source `k`: `k0`, … for key parts, `s` for a stamp, `c0`, … for cells. */
  readonly name: string;
  readonly type: ColumnType;
  /** Its index in a row. */
  readonly at: number;
}

/** A column and what it is given: the same as the IR's, with where the value stands. */
export interface Placed {
  readonly column: ColumnRef;
  readonly value:
    | { readonly kind: 'cell'; readonly part: RowPart }
    | { readonly kind: 'bytes'; readonly index: number }
    | { readonly kind: 'firstStamp' | 'nextStamp' | 'now' };
}

/** What stands where in the rows of one statement. */
export interface RowLayout {
  /** All parts in the order of the row, without the ordinal. */
  readonly parts: readonly RowPart[];
  readonly key: readonly RowPart[];
  readonly stamp: RowPart | null;
  readonly placed: readonly Placed[];
}

/** The layout that {@link Assignment} and {@link RowMatch} ask for: key parts, the stamp where it is checked, the cells. */
export function layOut(
  match: RowMatch | null,
  assignments: readonly Assignment[],
  stampType: ColumnType,
): RowLayout {
  const parts: RowPart[] = [];
  const add = (name: string, type: ColumnType): RowPart => {
    const part = { name, type, at: parts.length + 1 };
    parts.push(part);
    return part;
  };
  const key = (match?.key ?? []).map(({ type }, index) => add(`k${index}`, type));
  const stamp = (match?.stamp ?? null) === null ? null : add('s', stampType);
  let cells = 0;
  let bytes = 0;
  const placed = assignments.map(({ column, value }): Placed => {
    switch (value.kind) {
      case 'cell': {
        const part = add(`c${cells}`, column.type);
        cells += 1;
        return { column, value: { kind: 'cell', part } };
      }
      case 'bytes': {
        const index = bytes;
        bytes += 1;
        return { column, value: { kind: 'bytes', index } };
      }
      case 'firstStamp':
      case 'nextStamp':
      case 'now':
        return { column, value: { kind: value.kind } };
    }
  });
  return { parts, key, stamp, placed };
}

/** How a dialect writes the values that a column can be given. */
export interface ValueForms {
  readonly cell: (column: ColumnRef, part: RowPart) => string;
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
      return forms.cell(column, value.part);
    case 'bytes':
      return forms.bytes(value.index);
    case 'firstStamp':
      return '1';
    case 'nextStamp': {
      const name = forms.columnName(column);
      const highest = forms.bigint(highestCounter(column.type));
      return `CASE WHEN ${name} IS NULL OR ${name} >= ${highest} THEN 1 ELSE ${name} + 1 END`;
    }
    case 'now':
      return forms.now(column.type);
  }
}

/** Behind this value a counter begins again. */
function highestCounter(type: ColumnType): string {
  if (type.kind !== 'integer') throw new Error(`a column of ${type.native} cannot count`);
  return (2n ** BigInt(type.signed ? type.bits - 1 : type.bits) - 1n).toString();
}
