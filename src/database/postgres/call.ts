import { identifier } from '../../sql/postgres/literals.ts';
import type { CallResult, ProcedureCall, Row } from '../database.ts';

/**
 * The statement that calls a procedure: an argument for each parameter, for those that only go out as well.
 * https://www.postgresql.org/docs/current/sql-call.html
 */
export function callText({ schema, name, parameters }: ProcedureCall): string {
  const values = parameters.map((_, index) => `$${index + 1}`);
  return `CALL ${identifier(schema)}.${identifier(name)}(${values.join(', ')})`;
}

/** What a procedure answered: one row, with the parameters that go out in their order. */
export function callResult(row: Row | undefined, { parameters }: ProcedureCall): CallResult {
  const names = parameters.flatMap(({ name, direction }) => (direction === 'in' ? [] : [name]));
  return {
    resultSets: [],
    outputs: new Map(names.map((name, index) => [name, row?.[index] ?? null])),
    returnValue: null,
  };
}
