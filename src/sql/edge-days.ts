import type { ColumnType } from '../schema/types.ts';

/**
 * The first and the last day that a type has. Between them, any time zone's offset leads to another value of the type; on
 * them it may lead out of it, so they are the same in UTC and in the database's time zone. Legacy data keeps there what stands
 * for "never" and "always".
 */
export function edgeDaysOf(type: ColumnType): readonly [first: string, last: string] {
  const { first, last } = (type.kind === 'timestamp' ? type.coarse : undefined) ?? {
    first: '0001-01-01',
    last: '9999-12-31',
  };
  return [first.slice(0, 10), last.slice(0, 10)];
}

/**
 * The first and the last day of PostgreSQL's timestamp, which are the same in every time zone, too.
 * https://www.postgresql.org/docs/current/datatype-datetime.html
 */
export const OUTERMOST_DAYS = { first: '4714-11-24 BC', last: '294276-12-31' } as const;

/** The edge days of a type of PostgreSQL as dates of SQL. */
export function edgeDays(type: ColumnType): string {
  return [...edgeDaysOf(type), OUTERMOST_DAYS.first, OUTERMOST_DAYS.last]
    .map((day) => `'${day}'`)
    .join(', ');
}
