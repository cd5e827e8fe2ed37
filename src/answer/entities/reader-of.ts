import type { Reader } from '../../sql/dialect.ts';

/** The reader of a result column. @throws Error where there is none */
export function readerOf(readers: readonly Reader[], column: number): Reader {
  const found = readers[column];
  if (found === undefined) throw new Error(`result column ${column} has no reader`);
  return found;
}
