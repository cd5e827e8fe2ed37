import pg from 'pg';
import { postgresStatements, type Sql } from './statements.ts';

/** PostgreSQL by its pool, with statements that have names; numbers are JavaScript's and dates text, as the answers have them. */
export function openPostgres(connectionString: string): Sql {
  const { INT8, NUMERIC, DATE } = pg.types.builtins;
  pg.types.setTypeParser(INT8, Number);
  pg.types.setTypeParser(NUMERIC, Number);
  pg.types.setTypeParser(DATE, (text) => text);
  const pool = new pg.Pool({ connectionString, max: 8 });
  return {
    statements: postgresStatements,
    query: async <Row>(
      { name, text }: { name: string; text: string },
      values: readonly unknown[],
    ) => (await pool.query<Row & pg.QueryResultRow>({ name, text, values: [...values] })).rows,
    close: () => pool.end(),
  };
}
