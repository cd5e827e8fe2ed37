import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import { bufferOf, lengthOf } from '../../base/text.ts';
import type { Statement, StatementParameter } from '../../sql/ir/statement.ts';
import type { ResultSet, Row } from '../database.ts';
import { MOST_RESULT_BYTES, resultTooLarge } from '../driver.ts';
import { type DriverValue, EncodedText, LONG_TEXT, type ShortValue } from '../long-text.ts';
import { DataRows, readRows, type RowSink } from './row-reader.ts';
import { giveRows, type Wire, wireOf } from './driver-internals.ts';

/** How the server plans a kept statement: for each run, or once (https://www.postgresql.org/docs/current/sql-prepare.html#SQL-PREPARE-NOTES). */
export type Planning = 'each' | 'once';

/** Parameters whose values do not change the plan. */
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
 * How a statement should be planned; null if it makes no difference. The server's own choice compares estimated costs, and takes an unknown limit for
 * a tenth of all rows: for a filter with few rows in the order of the key it would then read the whole table. So only statements with one good
 * plan, whatever the values, are planned once.
 */
export function planningOf(
  { parameters, findsOne, filtered }: Statement,
  isSelective: IsSelective,
): Planning | null {
  if (parameters.length === 0) return null;
  if (findsOne === true || parameters.every(({ kind }) => DATA.has(kind))) return 'once';
  return filtered !== undefined && isSelective(filtered) ? 'once' : 'each';
}

/** Whether an index narrows a filter to few rows, whatever its values. */
export type IsSelective = (filtered: Filtered) => boolean;

/** The columns that a filter compares with values. */
export type Filtered = NonNullable<Statement['filtered']>;

/** Sets the planning of the session. */
export const planningQuery: Readonly<Record<Planning, Query>> = {
  each: { text: 'SET plan_cache_mode TO force_custom_plan', values: [] },
  once: { text: 'SET plan_cache_mode TO auto', values: [] },
};

/** https://www.postgresql.org/docs/current/protocol-message-formats.html#PROTOCOL-MESSAGE-FORMATS-BIND */
const BIND = 'B'.charCodeAt(0);
const FORMAT = { text: 0, binary: 1 } as const;
const NULL = -1;

/**
 * The message with the values of a statement, in parts: the driver's own is one buffer with copies of all values. Bytes are binary, all else, with
 * the results, is text. @param statement its name; empty for the one that was parsed last
 */
export function bindMessage(statement: string, values: readonly DriverValue[]): Buffer[] {
  const parts: Buffer[] = [
    Buffer.from(`\0${statement}\0`),
    int16s([values.length, ...values.map(formatOf), values.length]),
  ];
  for (const value of values) {
    const bytes = bytesOf(value);
    parts.push(int32(bytes === null ? NULL : lengthOf(bytes)), ...(bytes ?? []));
  }
  parts.push(int16s([1, FORMAT.text]));
  // The length includes itself.
  return [Buffer.from([BIND]), int32(4 + lengthOf(parts)), ...parts];
}

function formatOf(value: DriverValue): number {
  return value instanceof Uint8Array ? FORMAT.binary : FORMAT.text;
}

function bytesOf(value: DriverValue): readonly Buffer[] | null {
  if (value === null) return null;
  if (value instanceof EncodedText) return value.pieces;
  return [typeof value === 'string' ? Buffer.from(value) : bufferOf(value)];
}

function int16s(numbers: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(2 * numbers.length);
  for (const [index, number] of numbers.entries()) bytes.writeUInt16BE(number, 2 * index);
  return bytes;
}

function int32(number: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeInt32BE(number);
  return bytes;
}

export interface Query {
  readonly text: string;
  readonly values: readonly DriverValue[];
  /** Whether the rows are left as they come. */
  readonly encoded?: boolean;
}

/** How a statement is sent. */
export interface Sending {
  /** The kept statements of the connection; left out for a statement that is run once. */
  readonly named?: NamedStatements;
  /**
   * Sent before it in the same round trip, without a Sync between: it does not run if one of them fails, and outside of a transaction all are one
   * transaction (https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING).
   */
  readonly before?: readonly Query[];
}

/**
 * A statement as the driver's client runs it. Unlike the driver's, it takes rows from the `RowReader` if there is one, describes columns once, and
 * limits rows.
 */
class StatementQuery implements pg.Submittable, RowSink {
  readonly #query: Query;
  readonly #named: NamedStatements | null;
  readonly #before: readonly Query[];
  readonly #resolve: (result: ResultSet) => void;
  readonly #reject: (error: unknown) => void;
  readonly #rows: Row[] = [];
  #encoded: DataRows | null = null;
  #columns: readonly string[] = [];
  /** The name under which the server shall keep it; null if it has one, or is run once. */
  #newName: string | null = null;
  #bytes = 0;
  #connection: pg.Connection | null = null;
  /** The number of statements before it that have not ended. */
  #awaited: number;

  constructor(
    query: Query,
    { named, before = [] }: Sending,
    resolve: (result: ResultSet) => void,
    reject: (error: unknown) => void,
  ) {
    this.#query = query;
    this.#named = named ?? null;
    this.#before = before;
    this.#awaited = before.length;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  submit(connection: pg.Connection): void {
    this.#connection = connection;
    const isRead = giveRows(connection, this);
    if (isRead && this.#query.encoded === true) this.#encoded = new DataRows();
    const wire = wireOf(connection);
    wire.stream.cork();
    try {
      this.#send(wire);
    } finally {
      wire.stream.uncork();
    }
  }

  #send(wire: Wire): void {
    for (const before of this.#before) {
      wire.parse({ text: before.text });
      bind(wire, before.values);
      wire.execute({});
    }
    const { text, values } = this.#query;
    const kept = this.#named?.find(text) ?? null;
    if (this.#named !== null) {
      for (const name of this.#named.takeDropped()) wire.close({ type: 'S', name });
    }
    if (kept !== null) {
      this.#columns = kept.columns;
      bind(wire, values, kept.name);
    } else if (this.#named === null) {
      wire.parse({ text });
      bind(wire, values);
    } else {
      const name = this.#named.newName();
      this.#newName = name;
      wire.parse({ text, name });
      bind(wire, values, name);
    }
    if (kept === null) wire.describe({ type: 'P', name: '' });
    wire.execute({});
    wire.sync();
  }

  handleRowDescription({ fields }: { fields: readonly { readonly name: string }[] }): void {
    this.#columns = fields.map(({ name }) => name);
  }

  /** Ignores the rows of the statements before it. */
  handleRows(bytes: Buffer, start: number, end: number): void {
    if (this.#awaited > 0) return;
    this.#bytes += end - start;
    if (this.#bytes > MOST_RESULT_BYTES) return;
    if (this.#encoded === null) readRows(bytes, start, end, this.#rows);
    else this.#encoded.add(bytes, start, end);
  }

  /** Takes a row as the driver reads it. @param length in bytes, of the message */
  handleDataRow({ fields, length }: { readonly fields: Row; readonly length: number }): void {
    if (this.#awaited > 0) return;
    this.#bytes += length;
    if (this.#bytes <= MOST_RESULT_BYTES) this.#rows.push(fields);
  }

  handleCommandComplete(): void {
    this.#awaited -= 1;
  }

  handleReadyForQuery(): void {
    this.#end();
    if (this.#newName !== null) {
      this.#named?.keep(this.#query.text, { name: this.#newName, columns: this.#columns });
    }
    if (this.#bytes > MOST_RESULT_BYTES) this.#reject(resultTooLarge());
    else {
      const [columns, rows, encoded] = [this.#columns, this.#rows, this.#encoded];
      this.#resolve(encoded === null ? { columns, rows } : { columns, rows, encoded });
    }
  }

  handleError(error: unknown): void {
    this.#end();
    // It may have been parsed before it failed.
    if (this.#newName !== null) this.#named?.drop(this.#newName);
    this.#reject(error);
  }

  #end(): void {
    if (this.#connection !== null) giveRows(this.#connection, null);
  }
}

/** Sends the values of a statement; without a name, of the one that was parsed last. */
function bind(wire: Wire, values: readonly DriverValue[], statement = ''): void {
  if (areCopied(values)) {
    wire.bind({ values: values.map(sent), statement });
  } else if (wire.stream.writable) {
    for (const part of bindMessage(statement, values)) wire.stream.write(part);
  }
}

/** Whether values are short enough for the driver's own message, which copies them twice. */
function areCopied(values: readonly DriverValue[]): values is readonly ShortValue[] {
  return values.every((value) => {
    if (value === null || typeof value === 'string') return true;
    return value instanceof Uint8Array && value.length <= LONG_TEXT;
  });
}

function sent(value: ShortValue): string | Buffer | null {
  return value instanceof Uint8Array ? bufferOf(value) : value;
}

/** Runs a statement in one round trip; `onError` is called before it rejects. @throws the error of the first that fails; ProtocolError answerTooLarge */
export function runStatement(
  client: pg.Client,
  query: Query,
  sending: Sending,
  onError: (error: unknown) => void,
): Promise<ResultSet> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      onError(error);
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- as it came
      reject(error);
    };
    client.query(new StatementQuery(query, sending, resolve, fail));
  });
}

/** A statement that the server keeps, parsed, for one connection. */
export interface NamedStatement {
  readonly name: string;
  /** The names of its result columns, from its first run. */
  columns: readonly string[];
}

/** The most statements of a connection, as many as JDBC's driver keeps. */
const MOST_STATEMENTS = 256;

/** The most characters of their texts. */
const MOST_CHARACTERS = 2_097_152;

/**
 * The statements that the server keeps for one connection. The least recently used ones are dropped. No name is used twice
 * (https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-EXT-QUERY).
 */
export class NamedStatements {
  readonly #kept = new LRUCache<string, NamedStatement>({
    max: MOST_STATEMENTS,
    maxSize: MOST_CHARACTERS,
    sizeCalculation: (_statement, text) => text.length + 1,
    dispose: ({ name }) => this.drop(name),
  });
  #dropped: string[] = [];
  #names = 0;

  find(text: string): NamedStatement | null {
    return this.#kept.get(text) ?? null;
  }

  newName(): string {
    this.#names += 1;
    return `entitygate_${this.#names}`;
  }

  /** Notes what the server has parsed. */
  keep(text: string, statement: NamedStatement): void {
    this.#kept.set(text, statement);
    if (!this.#kept.has(text)) this.drop(statement.name);
  }

  /** Notes that the server may forget a statement. */
  drop(name: string): void {
    this.#dropped.push(name);
  }

  /** Drops all: they return other columns now. */
  clear(): void {
    this.#kept.clear();
  }

  /** The names that the server has to be told to forget; each is returned once. */
  takeDropped(): readonly string[] {
    const names = this.#dropped;
    if (names.length > 0) this.#dropped = [];
    return names;
  }
}
