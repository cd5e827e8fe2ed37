import type { StatementFailure } from '../base/observe/observer.ts';
import { isReadByType } from '../schema/type-rules.ts';
import type { Statement } from '../sql/ir/statement.ts';
import type { Command, Connection, Database, ResultSet, RunOptions } from './database.ts';
import {
  BATCH_ROWS,
  type Driver,
  type DriverCommand,
  type DriverConnection,
  type DriverErrors,
  type StopReason,
  type TimeLimits,
} from './driver.ts';
import { areShort, decodeRows, decodeTexts, encodeTexts, hasUndecoded } from './long-text.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClientGone, limitTime, onAbort } from '../base/time.ts';
import { ProtocolError, reason } from '../base/errors.ts';
import {
  databaseError,
  type DatabaseError,
  databaseErrors,
  DatabaseRefusal,
  type ViolatedRule,
  type Violation,
} from './errors.ts';

/** A connection that can also stream rows. */
export type Streaming = Connection & Pick<Database, 'stream'>;

/** The properties of an engine that a single connection needs. */
export type Rules = Pick<Driver, 'errors' | 'limits' | 'textEncoding'>;

/** Ends the report of a statement. */
interface Report {
  readonly done: (rows: number) => void;
  /** @param error what the connection threw @param told what the client is told for it */
  readonly failed: (error: unknown, told: Error) => void;
}

/** Adds to a driver's connection what all engines share: cancelling, time limits, observers, messages. @param whenLost a write's state after a loss */
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
      const told = failure(error, purpose, errors, command.statement);
      report.failed(error, told);
      throw told;
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
          report.done(encoded?.length ?? rows.length);
          return result;
        },
      ),
    stream: async function* (command, options) {
      const { statement } = command;
      const report = reporting(statement, options);
      const limited: Supervision = supervision(limits, 'read', options.signal);
      let fetched = 0;
      let isFailed = false;
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
        const told = failure(error, { effect: 'read' }, errors, statement);
        isFailed = true;
        report.failed(error, told);
        throw told;
      } finally {
        // Also where the reader ends it.
        if (!isFailed) report.done(fetched);
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
          report.done(results.reduce((sum, { rows }) => sum + rows.length, 0));
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
  report.done(rows.length);
  return rows === all ? result : { columns, rows };
}

/** Measures a statement from now on, and reports it to the observer. */
function reporting({ name, text }: Statement, { observer }: RunOptions): Report {
  const start = performance.now();
  return {
    done: (rows) =>
      observer.statementRun({ name, text, milliseconds: performance.now() - start, rows }),
    failed: (error, told) => {
      const milliseconds = performance.now() - start;
      const why = failureOf(error, told);
      observer.statementRun({ name, text, milliseconds, rows: null, failure: why });
      if (told instanceof DatabaseRefusal && isForOperators(told.violation)) {
        observer.warned?.(`The database refused a change: ${reason(error)}`);
      }
    },
  };
}

/** Whether only the engine's own words, which hold no values, say what an operator could do: which right is lacking, which constraint is broken. */
function isForOperators({ rule }: Violation): boolean {
  return rule === 'notAllowed' || rule === 'constraint' || rule === 'notUpdatable';
}

function failureOf(error: unknown, told: Error): StatementFailure {
  if (told instanceof ClientGone) return 'clientGone';
  if (error instanceof StatementStopped) {
    return error.reason === 'signal' ? 'clientGone' : 'timeout';
  }
  // The engine has limits of its own.
  return told instanceof ProtocolError && told.errorName === 'statementTimeout'
    ? 'timeout'
    : 'error';
}

/** A statement was stopped before its end. */
export class StatementStopped extends Error {
  readonly reason: StopReason;
  /** Whether the engine acknowledged the cancelling; else the connection was closed. */
  readonly isAcknowledged: boolean;

  constructor(reason: StopReason, isAcknowledged: boolean, cause?: unknown) {
    super(`The statement was stopped by its ${reason}.`, { cause });
    this.name = 'StatementStopped';
    this.reason = reason;
    this.isAcknowledged = isAcknowledged;
  }
}

/** What stops a statement. */
export interface Supervision {
  /** Null if no client waits for it. */
  readonly signal: AbortSignal | null;
  /** How long it may take, in milliseconds. */
  readonly limit: number;
  /** How long the engine may take to acknowledge the cancelling, in milliseconds. */
  readonly grace: number;
}

/** The supervision of a read or a write. */
export function supervision(
  { statement, cancelRead, cancelWrite }: TimeLimits,
  effect: Statement['effect'],
  signal: AbortSignal | null = null,
): Supervision {
  return { signal, limit: statement, grace: effect === 'read' ? cancelRead : cancelWrite };
}

/**
 * Waits for work on a connection. When the signal is aborted or the time is over, it asks the engine to cancel the work, and closes the connection
 * if the engine does not acknowledge that in time. So this always ends, whatever the server does. @throws StatementStopped; the work's errors
 */
export function supervised<Result>(
  connection: Pick<DriverConnection, 'cancel' | 'destroy'>,
  work: () => Promise<Result>,
  { signal, limit, grace }: Supervision,
): Promise<Result> {
  if (signal?.aborted === true) return Promise.reject(new StatementStopped('signal', true));
  return new Promise((resolve, reject) => {
    let stopped: StopReason | null = null;
    let cancelling: Promise<void> | null = null;
    let giveUp: NodeJS.Timeout | undefined;
    let finish: (() => void) | null = null;
    const stop = (reason: StopReason): void => {
      if (stopped !== null || finish !== null) return;
      stopped = reason;
      cancelling = connection.cancel(reason).catch(() => undefined);
      giveUp = setTimeout(() => {
        const error = new StatementStopped(reason, false);
        // The outcome of the work, if it has one, matters more than that of the cancelling.
        finish ??= () => {
          reject(error);
        };
        connection.destroy(error);
        end();
      }, grace);
    };
    const inTime = limitTime(limit, () => stop('time limit'));
    const ignoreAbort = signal === null ? undefined : onAbort(signal, () => stop('signal'));
    const end = (): void => {
      inTime();
      clearTimeout(giveUp);
      ignoreAbort?.();
      finish?.();
    };
    const settle = (how: () => void): void => {
      finish ??= how;
      // A cancel request that is on its way must not hit the next statement.
      if (cancelling === null) end();
      else void cancelling.then(end);
    };
    work().then(
      (result) => {
        settle(() => {
          resolve(result);
        });
      },
      (error: unknown) => {
        const thrown = stopped === null ? error : new StatementStopped(stopped, true, error);
        settle(() => {
          // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- as it came
          reject(thrown);
        });
      },
    );
  });
}

/** What happens to a change when the connection is lost: not known, or, in a transaction before its commit, rolled back. */
export type WhenLost = 'unknown' | 'rolledBack';

/** What a failed statement was for. */
export type Purpose =
  | { readonly effect: 'read' }
  | {
      readonly effect: 'write';
      readonly whenLost: WhenLost;
      /** It may be done although the engine acknowledged the cancelling. */
      readonly mayBeDone?: boolean;
    };

/** What of a statement tells why it failed. */
type FailedStatement = Pick<Statement, 'parameters' | 'computed'>;

const NO_STATEMENT: FailedStatement = { parameters: [] };

/** The gateway's error for an error of a connection. */
export function failure(
  error: unknown,
  purpose: Purpose,
  errors: DriverErrors,
  statement: FailedStatement = NO_STATEMENT,
): ProtocolError | ClientGone {
  if (error instanceof ProtocolError || error instanceof ClientGone) return error;
  if (!(error instanceof StatementStopped)) {
    return purpose.effect === 'read'
      ? readFailure(error, errors, statement)
      : writeFailure(error, purpose.whenLost, errors, statement);
  }
  if (error.reason === 'signal') return new ClientGone(error);
  const isCancelled = error.isAcknowledged && !errors.isLost(error.cause);
  if (purpose.effect === 'read' || (isCancelled && purpose.mayBeDone !== true)) {
    return databaseError(databaseErrors.timeout, error);
  }
  return databaseError(lostError(purpose.whenLost), error);
}

function readFailure(error: unknown, errors: DriverErrors, failed: FailedStatement): ProtocolError {
  const { parameters, computed } = failed;
  const violation = errors.violation(error);
  const { rule } = violation;
  const isUnread = violation.parameter !== undefined;
  const mayBeKey = isOfKey(violation, parameters);
  // Types of extensions may refuse a value by any state.
  const transient = isUnread || (mayBeKey && rule === 'failed') ? null : errors.classify(error);
  if (transient !== null) return databaseError(transient, error);
  // A function that the expression calls may raise anything.
  if (computed !== undefined && !isUnread && (ofValues.has(rule) || rule === 'raised')) {
    return notComputable(computed, error);
  }
  const refused = refusedRead(error, violation, errors);
  // A key of a body may hold such text.
  return isUnread || rule === 'unencodable' || mayBeKey || violation.ofStatement === true
    ? refusal(refused, violation, error, parameters)
    : databaseError(refused, error);
}

/** Whether keys in a list have values that only the engine can read, and it may not have read one. Types of extensions fail on what they do not read. */
function isOfKey({ rule }: Violation, parameters: FailedStatement['parameters']): boolean {
  const types = parameters.flatMap((one) => ('types' in one ? one.types.filter(isReadByType) : []));
  if (rule === 'failed') return types.some(({ typeSchema }) => typeSchema !== 'pg_catalog');
  return types.length > 0 && (rule === 'other' || ofValues.has(rule));
}

function refusedRead(error: unknown, { rule }: Violation, errors: DriverErrors): DatabaseError {
  if (rule === 'notAllowed') return databaseErrors.mayNotRead;
  if (rule === 'failed') return databaseErrors.failing;
  if (rule === 'outdated') return databaseErrors.outdated;
  // Of a read only a sum can be out of range.
  return rule === 'outOfRange' ? databaseErrors.overflow : errors.refusedRead(error);
}

/** Rules that an expression over a row can break as well. */
const ofValues: ReadonlySet<ViolatedRule> = new Set(['badValue', 'outOfRange', 'tooLong']);

/** The error of a statement with calculated attributes that fail for a row. @param computed those that the client knows of */
function notComputable(computed: readonly string[], cause: unknown): DatabaseRefusal {
  const [one = 'A calculated attribute', ...others] = computed;
  const what = others.length === 0 ? one : `One of ${computed.join(', ')}`;
  const message = `${what} cannot be computed for an entity of this request: its SQL fails there, such as for a division by zero, a number out of range or a text that is not a number.`;
  return new DatabaseRefusal(
    { rule: 'notComputable', names: computed },
    message,
    cause,
    'notComputable',
  );
}

function writeFailure(
  error: unknown,
  whenLost: WhenLost,
  errors: DriverErrors,
  { parameters, computed }: FailedStatement,
): ProtocolError {
  if (errors.isLost(error)) {
    const lost = errors.wasSent(error) ? lostError(whenLost) : databaseErrors.unavailable;
    return databaseError(lost, error);
  }
  const transient = errors.classify(error);
  const violation = errors.violation(error);
  // A type may fail on a value that it does not read.
  if (violation.rule === 'failed') {
    return refusal(databaseErrors.failing, violation, error, parameters);
  }
  if (transient !== null) return databaseError(transient, error);
  const isRead = violation.parameter === undefined;
  if (computed !== undefined && isRead && ofValues.has(violation.rule)) {
    return notComputable(computed, error);
  }
  const refused = violation.rule === 'outdated' ? databaseErrors.outdated : databaseErrors.refused;
  return refusal(refused, violation, error, parameters);
}

function refusal(
  refused: DatabaseError,
  violation: Violation,
  cause: unknown,
  parameters: FailedStatement['parameters'],
): DatabaseRefusal {
  const { message, errorName } = databaseError(refused, cause);
  return new DatabaseRefusal(violation, message, cause, errorName, parameters);
}

function lostError(whenLost: WhenLost): DatabaseError {
  return databaseErrors[whenLost === 'unknown' ? 'unknown' : 'unavailable'];
}

/** How often work is tried in all. */
const ATTEMPTS = 6;

/** The longest first pause before the next attempt, in milliseconds; it doubles with each attempt. */
const FIRST_PAUSE = 50;

/**
 * Runs work again when it was the victim of a deadlock, and so has changed nothing. The pauses are random, so that the same transactions do not
 * meet again. @param attempt from 1 @throws ProtocolError deadlock after the last attempt
 */
export function retryingDeadlocks<Result>(
  work: () => Promise<Result>,
  attempt = 1,
): Promise<Result> {
  return work().catch(async (error: unknown) => {
    const isDeadlock = error instanceof ProtocolError && error.errorName === 'deadlock';
    if (!isDeadlock || attempt === ATTEMPTS) throw error;
    await sleep(Math.random() * FIRST_PAUSE * 2 ** (attempt - 1));
    return retryingDeadlocks(work, attempt + 1);
  });
}
