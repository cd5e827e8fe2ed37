import type { OrderTerm } from '../ir/ir.ts';
import type { ColumnType } from '../../schema/types.ts';
import { isUnicode } from './native-type.ts';

/**
 * The server sorts by 8,060 bytes at most (https://learn.microsoft.com/sql/t-sql/queries/select-order-by-clause-transact-sql): of the
 * columns that only make pages of rows without a key deterministic, those that fit are taken.
 */
export function withinSortLimit(terms: readonly OrderTerm[]): OrderTerm[] {
  let left = MOST_BYTES;
  return terms.filter(({ operand, tieBreak = false }) => {
    const bytes = operand.kind === 'column' ? bytesOf(operand.type) : 0;
    if (tieBreak && bytes > left) return false;
    left -= bytes;
    return true;
  });
}

const MOST_BYTES = 8000;

/** How many bytes a value of a type has at most. */
function bytesOf(type: ColumnType): number {
  switch (type.kind) {
    case 'boolean':
      return 1;
    case 'integer':
    case 'float':
      return 8;
    case 'date':
    case 'time':
    case 'timestamp':
      return 10;
    case 'decimal':
      return 17;
    case 'uuid':
      return 16;
    case 'text':
      return type.maxLength === null ? Infinity : type.maxLength * (isUnicode(type) ? 2 : 1);
    case 'hex':
      // What an index can hold.
      return 1700;
    case 'json':
    case 'binary':
    case 'opaque':
      return Infinity;
  }
}
