import type { EventEmitter } from 'node:events';
import { type Connection, ISOLATION_LEVEL, Request, TYPES } from 'tedious';
import { MOST_CALLED_ROWS } from '../../base/limits.ts';
import { bufferOf } from '../../base/text.ts';
import { TEXT } from '../../schema/type-rules.ts';
import { plainStatement, type StatementParameter } from '../../sql/ir/statement.ts';
import { parameterType, type ParameterType } from '../../sql/tsql/parameter-type.ts';
import type { ResultSet, Row } from '../database.ts';
import {
  type DriverCommand,
  type DriverConnection,
  type DriverCursor,
  MOST_RESULT_BYTES,
  resultTooLarge,
} from '../driver.ts';
import { type DriverValue, EncodedText, type ShortValue, UndecodedText } from '../long-text.ts';
import { clearedContext, type ContextLimits, type SessionContext } from '../session-context.ts';
import { calledResult, type DescribedResult, tooManyRows } from './called-results.ts';
import { rolledBackByServer } from './errors.ts';
import { collectMessages, RequestFailure } from './new-connection.ts';
import { takeRows } from './row-stream.ts';

/**
 * Fetches the rows of a request in batches. A request ahead of its reader is paused: the driver stops reading from the socket, and so the server
 * stops sending (https://tediousjs.github.io/tedious/api-request.html#function_pause).
 */
class RequestCursor implements DriverCursor {
  readonly #request: Request;
  readonly #batchRows: number;
  readonly #rows: Row[] = [];
  #end: { readonly error?: Error } | null = null;
  #wake: () => void = () => undefined;

  constructor(request: Request, batchRows: number) {
    this.#request = request;
    this.#batchRows = batchRows;
  }

  readonly add = (row: Row): void => {
    this.#rows.push(row);
    if (this.#rows.length < this.#batchRows) return;
    this.#request.pause();
    this.#wake();
  };

  /** Notes the end of the request, with an error if it failed. */
  end(error?: Error): void {
    this.#end = error === undefined ? {} : { error };
    this.#wake();
  }

  readonly next = async (): Promise<readonly Row[]> => {
    await this.#change(() => this.#rows.length >= this.#batchRows);
    if (this.#end?.error !== undefined) throw this.#end.error;
    return this.#rows.splice(0, this.#batchRows);
  };

  readonly close = async (): Promise<void> => {
    if (this.#end !== null) return;
    this.#request.cancel();
    await this.#change(() => false);
  };

  /** Waits until there are enough rows, or no more. */
  async #change(isEnough: () => boolean): Promise<void> {
    while (this.#end === null && !isEnough()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        this.#request.resume();
      });
    }
  }
}

/** The event of a transaction that the server has rolled back; the driver's types leave it out. */
const ROLLBACK = 'rollbackTransaction';

type Done = (error: Error | null | undefined) => void;

/**
 * A connection of `tedious`, from a pool of `mssql`. The transaction class of `mssql` is not used: it gives the connection back to the pool when the
 * server rolls back by itself, even in the middle of a statement or with a transaction that a trigger began, and after a failed rollback.
 */
export class SqlServerConnection implements DriverConnection {
  readonly #connection: Connection;
  readonly #giveBack: () => void;
  #inTransaction = false;
  #isRolledBack = false;
  #context: SessionContext = new Map();

  /** @param giveBack gives the connection back to the pool, which drops a closed one */
  constructor(connection: Connection, giveBack: () => void) {
    this.#connection = connection;
    this.#giveBack = giveBack;
    (connection as EventEmitter).on(ROLLBACK, this.#noteRollback);
  }

  readonly run = async (command: DriverCommand): Promise<ResultSet> => {
    const results = await this.#execute(command);
    this.#checkTransaction();
    // The results of triggers come before that of the statement.
    return results.at(command.statement.effect === 'read' ? 0 : -1) ?? { columns: [], rows: [] };
  };

  readonly open = (
    { statement, values }: DriverCommand,
    batchRows: number,
  ): Promise<DriverCursor> => {
    const request = new Request(
      statement.text,
      this.#listen((error) => cursor.end(error)),
    );
    const cursor = new RequestCursor(request, batchRows);
    bind(request, statement.parameters, values);
    takeRows(request, statement, { begin: () => undefined, take: cursor.add });
    this.#connection.execSql(request);
    return Promise.resolve(cursor);
  };

  readonly call = async (command: DriverCommand): Promise<readonly ResultSet[]> => {
    // One more holds the return value of a procedure.
    const results = await this.#execute(command, MOST_CALLED_ROWS + 1);
    this.#checkTransaction();
    return results.map(calledResult);
  };

  /** The isolation level is that of every session, so that the pool's connections keep it. */
  readonly begin = async (): Promise<void> => {
    const level = ISOLATION_LEVEL['READ_COMMITTED'];
    await this.#request((done) => this.#connection.beginTransaction(done, '', level));
    this.#inTransaction = true;
  };

  readonly commit = (): Promise<void> =>
    this.#request((done) => this.#connection.commitTransaction(done));

  readonly rollback = async (): Promise<void> => {
    if (this.#isRolledBack) return;
    await this.#request((done) => this.#connection.rollbackTransaction(done));
  };

  readonly setContext = async (context: SessionContext): Promise<void> => {
    this.#context = context;
    await this.#execute(setContextCommand(context));
  };

  /** A reset of the whole session by the driver takes as long, and would have to be followed by its settings. */
  readonly clearContext = (): Promise<void> => this.setContext(clearedContext(this.#context));

  /** The request is sent on the connection itself, which takes no other statement before the server has answered. */
  readonly cancel = (): Promise<void> => {
    this.#connection.cancel();
    return Promise.resolve();
  };

  readonly destroy = (): void => {
    this.#connection.close();
  };

  readonly release = (isClean: boolean): void => {
    (this.#connection as EventEmitter).off(ROLLBACK, this.#noteRollback);
    if (!isClean || this.#connection.inTransaction) this.#connection.close();
    this.#giveBack();
  };

  /** Runs a statement. Rows beyond the limits are not kept. */
  async #execute(
    { statement, values }: DriverCommand,
    mostRows = Infinity,
  ): Promise<readonly DescribedResult[]> {
    const results: DescribedResult[] = [];
    let rows: Row[] = [];
    let count = 0;
    let bytes = 0;
    await this.#request((done) => {
      const request = new Request(statement.text, done);
      bind(request, statement.parameters, values);
      takeRows(request, statement, {
        begin: (columns, metadata) => {
          rows = [];
          results.push({ columns, metadata, rows });
        },
        take: (row) => {
          count += 1;
          bytes += bytesOf(row);
          if (count <= mostRows && bytes <= MOST_RESULT_BYTES) rows.push(row);
        },
      });
      this.#connection.execSql(request);
    });
    if (count > mostRows) throw tooManyRows();
    if (bytes > MOST_RESULT_BYTES) throw resultTooLarge();
    return results;
  }

  /** Makes a request, and waits for its end. */
  #request(make: (done: Done) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      make(
        this.#listen((error) => {
          if (error === undefined) resolve();
          else reject(error);
        }),
      );
    });
  }

  /** Collects the server's errors until the request ends. @returns the callback of the driver for that */
  #listen(onEnd: (error?: RequestFailure) => void): Done {
    const { messages, end } = collectMessages(this.#connection);
    return (error) => {
      end();
      onEnd(error == null ? undefined : new RequestFailure(messages, error));
    };
  }

  /** A statement may end well although the server has rolled it back. */
  #checkTransaction(): void {
    if (this.#inTransaction && this.#isRolledBack) throw rolledBackByServer();
  }

  readonly #noteRollback = (): void => {
    this.#isRolledBack = true;
  };
}

/** About how much memory a row takes: numbers and dates take no more than eight bytes. */
function bytesOf(row: Row): number {
  let bytes = 0;
  for (const value of row) {
    if (typeof value === 'string' || value instanceof Uint8Array) bytes += value.length;
    else bytes += value instanceof UndecodedText ? value.length : 8;
  }
  return bytes;
}

/** Longer than any length: the driver writes `max`. */
const MAX = Infinity;

/** The driver's types of parameters, with their options. */
const BINDINGS: Readonly<
  Record<ParameterType, readonly [(typeof TYPES)[keyof typeof TYPES], { readonly length?: number }]>
> = {
  bit: [TYPES.Bit, {}],
  tinyint: [TYPES.TinyInt, {}],
  smallint: [TYPES.SmallInt, {}],
  int: [TYPES.Int, {}],
  bigint: [TYPES.BigInt, {}],
  real: [TYPES.Real, {}],
  float: [TYPES.Float, {}],
  uniqueidentifier: [TYPES.UniqueIdentifier, {}],
  'nvarchar(50)': [TYPES.NVarChar, { length: 50 }],
  'nvarchar(4000)': [TYPES.NVarChar, { length: 4000 }],
  'nvarchar(max)': [TYPES.NVarChar, { length: MAX }],
  'varbinary(max)': [TYPES.VarBinary, { length: MAX }],
};

/** The types whose values the driver takes as numbers. */
const NUMBERS: readonly ParameterType[] = ['tinyint', 'smallint', 'int', 'real', 'float'];

/** The driver's nvarchar(max) for encoded texts. */
const ENCODED = {
  ...TYPES.NVarChar,
  validate: (value: unknown) => value,
  /** A value of unknown length is sent in chunks with their lengths, and ends with an empty one (MS-TDS 2.2.5.2.3). */
  generateParameterData: function* ({ value }: { readonly value: EncodedText }) {
    for (const piece of value.pieces) yield* [chunkLength(piece.length), piece];
    yield chunkLength(0);
  },
};

function chunkLength(bytes: number): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes);
  return length;
}

/** Adds the values of a statement's parameters, `p1`, `p2`, …, to its request. */
export function bind(
  request: Request,
  parameters: readonly StatementParameter[],
  values: readonly DriverValue[],
): void {
  for (const [index, parameter] of parameters.entries()) {
    const name = `p${index + 1}`;
    const value = values[index] ?? null;
    if (value instanceof EncodedText) {
      request.addParameter(name, ENCODED, value, { length: MAX });
      continue;
    }
    const type = parameterType(parameter, value);
    const [driverType, options] = BINDINGS[type];
    request.addParameter(name, driverType, driverValue(type, value), options);
  }
}

function driverValue(type: ParameterType, value: ShortValue): unknown {
  if (value === null) return null;
  if (value instanceof Uint8Array) return bufferOf(value);
  if (type === 'bit') return value === 'true';
  return NUMBERS.includes(type) ? Number(value) : value;
}

/** A value is kept as an sql_variant, which holds 8,000 bytes. */
export const CONTEXT_LIMITS: ContextLimits = { longest: 4000, zeros: true };

const PARAMETER: StatementParameter = { kind: 'rowField', index: 0, type: TEXT };

/**
 * Sets the values of SESSION_CONTEXT, all in one batch. They stay until they are set again, which `@read_only` would prevent for the next user
 * (https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-set-session-context-transact-sql).
 */
export function setContextCommand(context: SessionContext): DriverCommand {
  const calls = Array.from(
    context,
    (_, at) => `EXEC sp_set_session_context @key = @p${2 * at + 1}, @value = @p${2 * at + 2}`,
  );
  return {
    statement: {
      ...plainStatement(calls.join('; ')),
      parameters: [...context].flatMap(() => [PARAMETER, PARAMETER]),
    },
    values: [...context].flat(),
  };
}
