import type {
  Command,
  Connection,
  Database,
  Row,
  RunOptions,
} from '../../src/database/database.ts';
import { gatewayContext } from '../../src/base/observe/observer.ts';
import type { BoundValue } from '../../src/sql/dialect.ts';
import {
  plainStatement,
  type Statement,
  type StatementParameter,
} from '../../src/sql/ir/statement.ts';

/** A command; each value goes with its parameter. */
export function command(
  text: string,
  effect: Statement['effect'] = 'read',
  values: readonly (readonly [parameter: StatementParameter, value: BoundValue])[] = [],
): Command {
  return {
    statement: {
      ...plainStatement(text, effect),
      parameters: values.map(([parameter]) => parameter),
    },
    values: values.map(([, value]) => value),
  };
}

/** Runs a text that reads. */
export async function query(
  on: Connection,
  text: string,
  options: Partial<RunOptions> = {},
): Promise<readonly Row[]> {
  return (await on.run(command(text), { ...gatewayContext, ...options })).rows;
}

/** Runs a text that writes. */
export async function change(
  on: Connection,
  text: string,
  options: Partial<RunOptions> = {},
): Promise<readonly Row[]> {
  return (await on.run(command(text, 'write'), { ...gatewayContext, ...options })).rows;
}

/** Runs work in a transaction. */
export function transaction<Result>(
  database: Pick<Database, 'transaction'>,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  return database.transaction(work, gatewayContext);
}
