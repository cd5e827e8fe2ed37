import type { Row } from '../../database/database.ts';
import type { StampField } from '../../plan/condition/types.ts';
import type { Reader } from '../../sql/dialect.ts';

/** Reads the stamp of a row as digits (§2.1: an integer that is never 0). */
export type StampReader = (row: Row) => string;

/** What stands for a stamp of entities that have none. */
const NO_STAMP = '1';

/** How the stamp of rows is read, or made. @param readers one for each column of the rows */
export function stampReader(stamp: StampField, readers: readonly Reader[]): StampReader {
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

/** Cut to its bits; 0, which marks an undefined reference, is the highest one. */
function stampOf(hash: number, bits: 53 | 31): string {
  const cut = bits === 53 ? hash : hash % 2 ** bits;
  return String(cut === 0 ? 2 ** bits - 1 : cut);
}
