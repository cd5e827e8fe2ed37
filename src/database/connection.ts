import type { Statement } from '../sql/dialect.ts';
import type { Command, Connection, Database, ResultSet, RunOptions } from './database.ts';
import { BATCH_ROWS, type Driver, type DriverCommand, type DriverConnection } from './driver.ts';
import { areShort, decodeRows, decodeTexts, encodeTexts, hasUndecoded } from './long-text.ts';
import {
  failure,
  type Purpose,
  supervised,
  type Supervision,
  supervision,
  type WhenLost,
} from './supervise.ts';

/** A connection that can also stream rows. */
export type Streaming = Connection & Pick<Database, 'stream'>;

/** The properties of an engine that a single connection needs. */
export type Rules = Pick<Driver, 'errors' | 'limits' | 'textEncoding'>;

/** Ends the report of a statement. @param rows null if it failed */
type Report = (rows: number | null) => void;

/**
 * Adds to a driver's connection what is the same for all engines: cancelling, time limits, observers and error messages.
 * @param whenLost what happens to a write when the connection is lost
 */
export function connectionOn(
  connection: DriverConnection,
  { errors, limits, textEncoding }: Rules,
  whenLost: WhenLost,
): Streaming {
  const encode = async ({ statement, values }: Command, { signal }: RunOptions) => ({
    statement,
    values: await encodeTexts(values, textEncoding, signal),
  });
  const execute = async <Result>(
    command: Command,
    options: RunOptions,
    purpose: Purpose,
    send: (command: DriverCommand) => Promise<Result>,
    receive: (result: Result, report: Report) => Result | Promise<Result>,
  ): Promise<Result> => {
    const report = reporting(command.statement, options);
    try {
      const sent = isShort(command) ? command : await encode(command, options);
      const limited = supervision(limits, purpose.effect, options.signal);
      return await receive(await supervised(connection, () => send(sent), limited), report);
    } catch (error) {
      report(null);
      throw failure(error, purpose, errors);
    }
  };
  return {
    run: (command, options) =>
      execute(
        command,
        options,
        purposeOf(command.statement, whenLost),
        (sent) => connection.run(sent, options.encoded),
        (result, report) => {
          const { rows, encoded } = result;
          if (encoded?.hasLong === true || hasUndecoded(rows)) {
            return decoded(result, options, report);
          }
          report(encoded?.length ?? rows.length);
          return result;
        },
      ),
    stream: async function* (command, options) {
      const report = reporting(command.statement, options);
      const limited: Supervision = supervision(limits, 'read', options.signal);
      let fetched: number | null = 0;
      try {
        const { batchRows = BATCH_ROWS } = options;
        const sent = isShort(command) ? command : await encode(command, options);
        const cursor = await supervised(
          connection,
          () => connection.open(sent, batchRows),
          limited,
        );
        try {
          for (;;) {
            const rows = await supervised(connection, cursor.next, limited);
            if (rows.length === 0) break;
            if (hasUndecoded(rows)) await decodeTexts(rows, options.signal);
            fetched += rows.length;
            yield rows;
          }
        } finally {
          // The first failure matters, not that of closing.
          await supervised(connection, cursor.close, supervision(limits, 'read')).catch(
            connection.destroy,
          );
        }
      } catch (error) {
        fetched = null;
        throw failure(error, { effect: 'read' }, errors);
      } finally {
        report(fetched);
      }
    },
    call: (command, options) =>
      execute(
        command,
        options,
        { effect: 'write', whenLost },
        connection.call,
        async (results, report) => {
          for (const { rows } of results) {
            if (hasUndecoded(rows)) await decodeTexts(rows, options.signal);
          }
          report(results.reduce((sum, { rows }) => sum + rows.length, 0));
          return results;
        },
      ),
  };
}

function isShort(command: Command): command is Command & DriverCommand {
  return areShort(command.values);
}

function purposeOf({ effect, commitsItself }: Statement, whenLost: WhenLost): Purpose {
  return effect === 'read'
    ? { effect }
    : { effect, whenLost, mayBeDone: commitsItself === 'batch' };
}

/** Decodes long rows and texts. */
async function decoded(
  result: ResultSet,
  { signal }: RunOptions,
  report: Report,
): Promise<ResultSet> {
  const { columns, rows: all, encoded } = result;
  const rows = encoded?.hasLong === true ? await decodeRows(encoded, signal) : all;
  if (rows === all) await decodeTexts(rows, signal);
  report(rows.length);
  return rows === all ? result : { columns, rows };
}

/** Measures a statement from now on, and reports it to the observer. */
function reporting({ name, text }: Statement, { observer }: RunOptions): Report {
  const start = performance.now();
  return (rows) => {
    observer.statementRun({ name, text, milliseconds: performance.now() - start, rows });
  };
}
