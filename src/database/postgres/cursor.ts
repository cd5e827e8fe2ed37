import type { Row } from '../database.ts';
import type { DriverCommand, DriverCursor } from '../driver.ts';
import type { DriverValue } from '../long-text.ts';

/** Runs one statement of a cursor's. */
type Query = (
  text: string,
  values?: readonly DriverValue[],
) => Promise<{ readonly rows: readonly Row[] }>;

/** Cursors live in their transaction, and a connection has one at a time. */
const NAME = 'entitygate_rows';

/**
 * Opens a cursor of SQL's own (https://www.postgresql.org/docs/current/sql-declare.html). The protocol has another way, a
 * portal that is executed with a limit of rows, but the server's `statement_timeout` then goes on while nobody asks for rows,
 * and ends the stream of a slow reader; here each FETCH is a statement with the whole time limit. It also takes no second
 * package beside the driver. Outside of a transaction the cursor opens one of its own, which ends with it.
 * @param begin has one begun with the next statement; null in a transaction
 */
export async function openCursor(
  { statement, values }: DriverCommand,
  batchRows: number,
  begin: ((text: string) => void) | null,
  query: Query,
): Promise<DriverCursor> {
  begin?.('BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY');
  try {
    await query(`DECLARE ${NAME} NO SCROLL CURSOR FOR ${statement.text}`, values);
  } catch (error) {
    if (begin !== null) await query('ROLLBACK');
    throw error;
  }
  return {
    next: async () => (await query(`FETCH ${batchRows} FROM ${NAME}`)).rows,
    close: async () => {
      await query(begin === null ? `CLOSE ${NAME}` : 'ROLLBACK');
    },
  };
}
