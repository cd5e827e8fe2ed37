import type { Database, Row, Session } from '../database/database.ts';
import { bindKeys, bindParameter } from '../values/bind.ts';
import type { Literal } from '../request/ast.ts';
import type { BoundParameter, Dialect, Statement } from '../sql/dialect.ts';
import { retryingDeadlocks } from './retry.ts';

/** What reads run on: the database, or a transaction on it. */
export interface ReadSource {
  readonly dialect: Dialect;
  readonly query: Session['query'];
}

/** Reads of the database itself; one that fell victim to a deadlock has changed nothing and is tried again. */
export function readingFrom({ dialect, query }: Pick<Database, 'dialect' | 'query'>): ReadSource {
  return { dialect, query: (text, values) => retryingDeadlocks(() => query(text, values)) };
}

/** Parts of rows as canonical text, or null. */
export type RowParts = readonly (string | null)[];

/** What the parameters of a statement are filled from. */
export interface Inputs {
  /** The values of the request, by slot. */
  readonly values?: readonly Literal[];
  /** The keys or rows that the statement reads, in the order of their ordinals. */
  readonly rows?: readonly RowParts[];
  /** The bytes that columns are given. */
  readonly bytes?: readonly Uint8Array[];
}

/** Runs a printed query. */
export function runQuery(
  statement: Statement,
  inputs: Inputs,
  { dialect, query }: ReadSource,
): Promise<readonly Row[]> {
  return query(statement.text, bindStatement(statement, inputs, dialect));
}

/**
 * The parameters of a statement with their values.
 * @throws ProtocolError wrongType (1508) for a value that does not fit
 */
export function bindStatement(
  { parameters }: Statement,
  { values = [], rows = [], bytes = [] }: Inputs,
  dialect: Dialect,
): BoundParameter[] {
  return parameters.map((parameter): BoundParameter => {
    switch (parameter.kind) {
      case 'parameter':
        return { parameter, value: bindParameter(parameter, values, dialect) };
      case 'keys':
        return { parameter, value: bindKeys(parameter, values, dialect) };
      case 'constant':
        return { parameter, value: parameter.value };
      case 'keyList':
      case 'rows':
        return { parameter, value: rowsText(rows) };
      case 'part':
        return { parameter, value: rows[0]?.[parameter.index] ?? null };
      case 'bytes':
        return { parameter, value: bytes[parameter.index] ?? null };
    }
  });
}

/** Rows as JSON text, each with its ordinal before its parts. */
function rowsText(rows: readonly RowParts[]): string {
  return JSON.stringify(rows.map((parts, ordinal) => [ordinal, ...parts]));
}
