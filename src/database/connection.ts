import type { RequestObserver } from '../observe/observer.ts';
import type { Statement } from '../sql/dialect.ts';
import type { Connection } from './database.ts';
import type { Driver, DriverConnection } from './driver.ts';
import type { WhenLost } from './errors.ts';
import { failure, type Purpose } from './failure.ts';
import { supervised } from './supervise.ts';

/** What the engines differ in, as far as one connection is concerned. */
export type Rules = Pick<Driver, 'errors' | 'limits'>;

/**
 * A driver's connection with what is the same for all engines: what stops a command, who hears of it, and in which words it
 * fails.
 * @param whenLost what becomes of a write when the connection is lost on the way
 */
export function connectionOn(
  connection: DriverConnection,
  { errors, limits }: Rules,
  whenLost: WhenLost,
): Connection {
  const purposeOf = ({ effect }: Statement): Purpose =>
    effect === 'read' ? { effect } : { effect, whenLost };
  return {
    run: async (command, { signal, observer }) => {
      const { statement } = command;
      const { statement: limit, cancelRead, cancelWrite } = limits;
      const grace = statement.effect === 'read' ? cancelRead : cancelWrite;
      const tell = watch(statement, observer);
      try {
        const result = await supervised(connection, () => connection.run(command), {
          signal,
          limit,
          grace,
        });
        tell(result.rows.length);
        return result;
      } catch (error) {
        tell(null);
        throw failure(error, purposeOf(statement), errors);
      }
    },
  };
}

/** Takes the time of a statement, from now until its number of rows is told. */
function watch(
  { name, text }: Statement,
  observer: RequestObserver,
): (rows: number | null) => void {
  const start = performance.now();
  return (rows) => {
    observer.statementRun({ name, text, milliseconds: performance.now() - start, rows });
  };
}
