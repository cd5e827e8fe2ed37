import type { Command, Connection, Database, Row } from '../database/database.ts';
import { unattended } from '../observe/observer.ts';
import { bindParameter } from '../values/bind.ts';
import type { Literal } from '../request/ast.ts';
import type { BoundValue, Dialect, Statement } from '../sql/dialect.ts';
import { retryingDeadlocks } from './retry.ts';

/** What reads run on: the database, or a transaction on it. */
export interface ReadSource {
  readonly dialect: Dialect;
  readonly run: (command: Command) => Promise<readonly Row[]>;
}

/** Reads of the database itself; one that fell victim to a deadlock has changed nothing and is tried again. */
export function readingFrom(database: Pick<Database, 'dialect' | 'run'>): ReadSource {
  const { dialect } = database;
  return { dialect, run: (command) => retryingDeadlocks(() => rowsOf(command, database)) };
}

/** The rows that a command answers. */
export async function rowsOf(
  command: Command,
  { run }: Pick<Connection, 'run'>,
): Promise<readonly Row[]> {
  return (await run(command, unattended)).rows;
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
  { dialect, run }: ReadSource,
): Promise<readonly Row[]> {
  return run(bindStatement(statement, inputs, dialect));
}

/**
 * A statement with the values of its parameters.
 * @throws ProtocolError wrongType (1508) for a value that does not fit
 */
export function bindStatement(
  statement: Statement,
  { values = [], rows = [], bytes = [] }: Inputs,
  dialect: Dialect,
): Command {
  const bound = statement.parameters.map((parameter): BoundValue => {
    switch (parameter.kind) {
      case 'parameter':
        return bindParameter(parameter, values, dialect);
      case 'constant':
        return parameter.value;
      case 'keyList':
      case 'rows':
        return rowsText(rows);
      case 'part':
        return rows[0]?.[parameter.index] ?? null;
      case 'bytes':
        return bytes[parameter.index] ?? null;
    }
  });
  return { statement, values: bound };
}

/** Rows as JSON text, each with its ordinal before its parts. */
function rowsText(rows: readonly RowParts[]): string {
  return JSON.stringify(rows.map((parts, ordinal) => [ordinal, ...parts]));
}
