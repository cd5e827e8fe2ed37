import type { Statement } from '../../sql/dialect.ts';
import type { PrintedFetch, PrintedRead } from './print-read.ts';
import type { ResultSet } from '../../database/database.ts';

/** About what a parameter or a result column takes: a few small objects and closures, with its part of the plan and the writer. */
const BYTES_OF_COLUMN = 1000;

/** About what a statement takes besides. */
const BYTES_OF_STATEMENT = 2000;

/** About how much memory a printed statement takes, its part of the plan and of the writer included; in bytes. */
export function statementBytes(statement: Statement | null): number {
  if (statement === null) return 0;
  const { text, parameters, readers } = statement;
  return (
    BYTES_OF_STATEMENT + 2 * text.length + BYTES_OF_COLUMN * (parameters.length + readers.length)
  );
}

/** About how much memory a printed query takes with those that bring what is related; in bytes. */
export function fetchBytes({ statement, children }: PrintedFetch): number {
  return children.reduce((sum, { fetch }) => sum + fetchBytes(fetch), statementBytes(statement));
}

/** About how much memory all that is printed of a read takes; in bytes. */
export function readBytes({ fetch, count, globalStamp, origin }: PrintedRead): number {
  return [count, globalStamp, origin].reduce(
    (sum, statement) => sum + statementBytes(statement),
    fetchBytes(fetch),
  );
}

/** Rows of a statement: as they came where they were asked for so, or decoded. */
export type FoundRows = Pick<ResultSet, 'rows' | 'encoded'>;
