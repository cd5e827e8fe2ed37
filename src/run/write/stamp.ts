import type { Row } from '../../database/database.ts';
import type { StampField } from '../../plan/condition/types.ts';
import type { Reader } from '../../sql/ir/statement.ts';

/** The stamp of entities that have none. */
const NO_STAMP = '1';

/** A function that reads the stamp of a row as digits (§2.1: an integer that is never 0). @param readers those of its columns */
export function stampReader(stamp: StampField, readers: readonly Reader[]): (row: Row) => string {
  switch (stamp.kind) {
    case 'none':
      return () => NO_STAMP;
    case 'column': {
      const { column } = stamp;
      const read = textReader(column, readers);
      return (row) => read(row) ?? '';
    }
    case 'hash': {
      const { columns, hash, bits } = stamp;
      const cells = columns.map((column) => textReader(column, readers));
      return (row) => stampOf(hash(cells.map((read) => read(row))), bits);
    }
  }
}

function textReader(column: number, readers: readonly Reader[]): (row: Row) => string | null {
  const reader = readers[column];
  if (reader === undefined) throw new Error(`result column ${column} has no reader`);
  return (row) => {
    const value = row[column];
    return value === null || value === undefined ? null : reader.text(value);
  };
}

/** A hash as a stamp of some bits; 0, which marks an undefined reference, becomes the highest stamp. */
function stampOf(hash: number, bits: 53 | 31): string {
  const cut = bits === 53 ? hash : hash % 2 ** bits;
  return String(cut === 0 ? 2 ** bits - 1 : cut);
}
