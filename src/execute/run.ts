import type { Database, Row, Session } from '../database/database.ts';
import type { Literal } from '../request/ast.ts';
import type { BoundParameter, Dialect, Statement } from '../sql/dialect.ts';
import { bindParameter } from '../values/bind.ts';
import { retryingDeadlocks } from './retry.ts';

/** What the statements of one request run on: the database, or a transaction on it. */
export interface StatementSource {
  readonly dialect: Dialect;
  /** Runs a printed statement, its parameters filled in. */
  readonly run: (statement: Statement, inputs: Inputs) => Promise<readonly Row[]>;
  /** Runs one that changes rows. */
  readonly change: (statement: Statement, inputs: Inputs) => Promise<readonly Row[]>;
}

/** Reads of the database itself; one that fell victim to a deadlock has changed nothing and is tried again. */
export function readingFrom({ dialect, query, primary }: Database): StatementSource {
  const source = sourceOn({ query, change: primary.change }, dialect);
  return {
    ...source,
    run: (statement, inputs) => retryingDeadlocks(() => source.run(statement, inputs)),
  };
}

/** Statements on the connection of a transaction. */
export function sourceOn({ query, change }: Session, dialect: Dialect): StatementSource {
  return {
    dialect,
    run: (statement, inputs) => query(statement.text, bindStatement(statement, inputs, dialect)),
    change: (statement, inputs) =>
      change(statement.text, bindStatement(statement, inputs, dialect)),
  };
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

/** What a result column holds as canonical text; null for null. */
export function cellText(
  { readers }: Pick<Statement, 'readers'>,
  row: Row,
  index: number,
): string | null {
  const value = row[index];
  if (value === null || value === undefined) return null;
  return readers[index]?.text(value) ?? null;
}
