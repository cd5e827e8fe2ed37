import type { RequestObserver } from '../base/observe/observer.ts';
import type { Statement } from '../sql/dialect.ts';
import type { Command, Connection, RunOptions } from './database.ts';
import { BATCH_ROWS, type Driver, type DriverCommand, type DriverConnection } from './driver.ts';
import type { WhenLost } from './errors.ts';
import { failure, type Purpose } from './failure.ts';
import { areShort, decodeRows, decodeTexts, encodeTexts, hasUndecoded } from './long-text.ts';
import { supervised, type Supervision } from './supervise.ts';

/** What the engines differ in, as far as one connection is concerned. */
export type Rules = Pick<Driver, 'errors' | 'limits' | 'textEncoding'>;

/**
 * A driver's connection with what is the same for all engines: what stops a command, who hears of it, and in which words it
 * fails.
 * @param whenLost what becomes of a write when the connection is lost on the way
 */
export function connectionOn(
  connection: DriverConnection,
  { errors, limits, textEncoding }: Rules,
  whenLost: WhenLost,
): Connection {
  const purposeOf = ({
    effect,
    commitsItself,
  }: Pick<Statement, 'effect' | 'commitsItself'>): Purpose =>
    effect === 'read' ? { effect } : { effect, whenLost, mayBeDone: commitsItself === 'batch' };
  const supervisionOf = (effect: Statement['effect'], { signal }: RunOptions): Supervision => ({
    signal,
    limit: limits.statement,
    grace: effect === 'read' ? limits.cancelRead : limits.cancelWrite,
  });
  const sent = async (
    { statement, values }: Command,
    { signal }: RunOptions,
  ): Promise<DriverCommand> => ({
    statement,
    values: await encodeTexts(values, textEncoding, signal),
  });
  return {
    run: async (command, options) => {
      const { effect } = command.statement;
      const tell = watch(command.statement, options.observer);
      try {
        const encoded = isShort(command) ? command : await sent(command, options);
        const result = await supervised(
          connection,
          () => connection.run(encoded, options.encoded),
          supervisionOf(effect, options),
        );
        const { columns, rows, encoded: asTheyCame } = result;
        if (asTheyCame?.hasLong === true) {
          const decoded = await decodeRows(asTheyCame, options.signal);
          tell(decoded.length);
          return { columns, rows: decoded };
        }
        if (hasUndecoded(rows)) await decodeTexts(rows, options.signal);
        tell(asTheyCame?.length ?? rows.length);
        return result;
      } catch (error) {
        tell(null);
        throw failure(error, purposeOf(command.statement), errors);
      }
    },
    stream: async function* (command, options) {
      const tell = watch(command.statement, options.observer);
      const supervision = supervisionOf('read', options);
      let fetched: number | null = 0;
      try {
        const { batchRows = BATCH_ROWS } = options;
        const encoded = isShort(command) ? command : await sent(command, options);
        const cursor = await supervised(
          connection,
          () => connection.open(encoded, batchRows),
          supervision,
        );
        try {
          for (;;) {
            const rows = await supervised(connection, cursor.next, supervision);
            if (rows.length === 0) break;
            if (hasUndecoded(rows)) await decodeTexts(rows, options.signal);
            fetched += rows.length;
            yield rows;
          }
        } finally {
          // What went wrong before is what matters: a connection that cannot be tidied up is broken off.
          await supervised(connection, cursor.close, { ...supervision, signal: null }).catch(
            connection.destroy,
          );
        }
      } catch (error) {
        fetched = null;
        throw failure(error, { effect: 'read' }, errors);
      } finally {
        tell(fetched);
      }
    },
    call: async (command, options) => {
      const tell = watch(command.statement, options.observer);
      try {
        const encoded = isShort(command) ? command : await sent(command, options);
        const results = await supervised(
          connection,
          () => connection.call(encoded),
          supervisionOf('write', options),
        );
        for (const { rows } of results) {
          if (hasUndecoded(rows)) await decodeTexts(rows, options.signal);
        }
        tell(results.reduce((sum, { rows }) => sum + rows.length, 0));
        return results;
      } catch (error) {
        tell(null);
        throw failure(error, purposeOf({ effect: 'write' }), errors);
      }
    },
  };
}

function isShort(command: Command): command is Command & DriverCommand {
  return areShort(command.values);
}

/** Takes the time of a statement, from now until its number of rows is told. */
function watch(
  { name, text }: Pick<Statement, 'name' | 'text'>,
  observer: RequestObserver,
): (rows: number | null) => void {
  const start = performance.now();
  return (rows) => {
    observer.statementRun({ name, text, milliseconds: performance.now() - start, rows });
  };
}
