import { AsyncLocalStorage } from 'node:async_hooks';
import type { Connection, Database } from '../database/database.ts';

/** The part of a logger that statements are written to. */
export interface DebugLog {
  readonly debug: (details: object, message: string) => void;
}

/**
 * Writes each SQL statement to the log of the request it is run for: its text, time and number of rows, never its values.
 * To know the request costs something on every await, so that this is wired in at log level debug only.
 */
export class StatementLog {
  readonly #current = new AsyncLocalStorage<DebugLog>();

  /** Runs work whose statements belong to one request. */
  run<Result>(log: DebugLog, work: () => Promise<Result>): Promise<Result> {
    return this.#current.run(log, work);
  }

  /** The same database, its statements watched. */
  watch(database: Database): Database {
    return {
      ...database,
      run: this.#watched(database.run),
      transaction: (work, activity) =>
        database.transaction(
          (connection) => work({ ...connection, run: this.#watched(connection.run) }),
          activity,
        ),
    };
  }

  #watched(run: Connection['run']): Connection['run'] {
    return async (command, options) => {
      const log = this.#current.getStore();
      if (log === undefined) return run(command, options);
      const start = performance.now();
      const write = (outcome: { rows: number } | { failed: true }): void => {
        const ms = Math.round((performance.now() - start) * 1000) / 1000;
        log.debug({ sql: command.statement.text, ms, ...outcome }, 'statement');
      };
      try {
        const result = await run(command, options);
        write({ rows: result.rows.length });
        return result;
      } catch (error) {
        write({ failed: true });
        throw error;
      }
    };
  }
}
