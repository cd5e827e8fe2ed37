import type { Statement, StatementParameter } from '../../sql/dialect.ts';
import type { Query } from './statement-query.ts';

/**
 * How the server plans a statement that it keeps: for each time's values, or once for all.
 * https://www.postgresql.org/docs/current/sql-prepare.html#SQL-PREPARE-NOTES
 */
export type Planning = 'each' | 'once';

/** Parameters that hold data: the server assumes the same of them whatever they hold. */
const DATA: ReadonlySet<StatementParameter['kind']> = new Set([
  'constant',
  'keys',
  'keyList',
  'rows',
  'rowField',
  'slice',
  'bytes',
]);

/**
 * How a statement is to be planned; null where it makes no difference. By itself the server would compare what it assumes, and it assumes of a limit that it
 * does not know that a tenth of all rows is wanted: of a filter with few rows in the order of the key it then goes through the whole table. So only
 * what has one way to be run, whatever the values, is planned once.
 */
export function planningOf(
  { parameters, findsOne, sought }: Statement,
  findsFew: FindsFew,
): Planning | null {
  if (parameters.length === 0) return null;
  if (findsOne === true || parameters.every(({ kind }) => DATA.has(kind))) return 'once';
  return sought !== undefined && findsFew(sought) ? 'once' : 'each';
}

/** Whether few rows have any one value of columns, and an index leads to them: what finds rows by such values is run the same whatever they are. */
export type FindsFew = (sought: Sought) => boolean;

/** The columns that rows are sought by. */
export type Sought = NonNullable<Statement['sought']>;

/** What has the server plan so from now on. */
export const planningQuery: Readonly<Record<Planning, Query>> = {
  each: { text: 'SET plan_cache_mode TO force_custom_plan', values: [] },
  once: { text: 'SET plan_cache_mode TO auto', values: [] },
};
