import type pg from 'pg';
import { bufferOf, lengthOf } from '../../base/text.ts';
import type { ResultSet, Row } from '../database.ts';
import { type DriverValue, EncodedText, LONG_TEXT, type ShortValue } from '../long-text.ts';
import { MOST_RESULT_BYTES, resultTooLarge } from '../driver.ts';
import { DataRows } from './data-rows.ts';
import type { NamedStatements } from './named-statements.ts';
import { giveRows, readRows, type RowSink } from './row-reader.ts';
import type { Statement, StatementParameter } from '../../sql/dialect.ts';

/**
 * How the server plans a statement that it keeps: for each time's values, or once for all.
 * https://www.postgresql.org/docs/current/sql-prepare.html#SQL-PREPARE-NOTES
 */
export type Planning = 'each' | 'once';

/** Parameters that hold data: the server assumes the same of them whatever they hold. */
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
 * How a statement is to be planned; null where it makes no difference. By itself the server would compare what it assumes, and it assumes of a limit that it
 * does not know that a tenth of all rows is wanted: of a filter with few rows in the order of the key it then goes through the whole table. So only
 * what has one way to be run, whatever the values, is planned once.
 */
export function planningOf(
  { parameters, findsOne, filtered }: Statement,
  isSelective: IsSelective,
): Planning | null {
  if (parameters.length === 0) return null;
  if (findsOne === true || parameters.every(({ kind }) => DATA.has(kind))) return 'once';
  return filtered !== undefined && isSelective(filtered) ? 'once' : 'each';
}

/** Whether few rows have any one value of columns, and an index leads to them: what finds rows by such values is run the same whatever they are. */
export type IsSelective = (filtered: Filtered) => boolean;

/** The columns that a filter compares with values. */
export type Filtered = NonNullable<Statement['filtered']>;

/** What has the server plan so from now on. */
export const planningQuery: Readonly<Record<Planning, Query>> = {
  each: { text: 'SET plan_cache_mode TO force_custom_plan', values: [] },
  once: { text: 'SET plan_cache_mode TO auto', values: [] },
};

/** https://www.postgresql.org/docs/current/protocol-message-formats.html#PROTOCOL-MESSAGE-FORMATS-BIND */
const BIND = 'B'.charCodeAt(0);
const FORMAT = { text: 0, binary: 1 } as const;
const NULL = -1;

/**
 * The message that gives a statement its values, in parts to be written one behind the other: the driver's own is one piece of memory, into which it copies what it
 * encodes at once. All is text but bytes, and so are the results.
 * @param statement its name; empty for the one that was parsed last
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
  // Its length counts itself.
  return [Buffer.from([BIND]), int32(4 + lengthOf(parts)), ...parts];
}

function formatOf(value: DriverValue): number {
  return value instanceof Uint8Array ? FORMAT.binary : FORMAT.text;
}

function bytesOf(value: DriverValue): readonly Buffer[] | null {
  if (value === null) return null;
  if (typeof value === 'string') return [Buffer.from(value)];
  if (value instanceof EncodedText) return value.pieces;
  return [bufferOf(value)];
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

/** A text with the values of its parameters. */
export interface Query {
  readonly text: string;
  readonly values: readonly DriverValue[];
  /** Whether its rows may be left as they come. */
  readonly encoded?: boolean;
}

/** How a statement is sent. */
export interface Sending {
  /** What the server keeps for the connection: the statement is parsed once. Left out where it is run once. */
  readonly named?: NamedStatements;
  /**
   * Go to the server before it, in the same round trip and with no Sync between them. So the statement is not run where one of them
   * fails, and outside of a transaction all are one, with which ends what was set for it alone.
   * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING
   */
  readonly before?: readonly Query[];
}

/** What the driver's connection writes; its types ask for more than it reads. */
interface Wire {
  readonly stream: {
    readonly cork: () => void;
    readonly uncork: () => void;
    readonly write: (bytes: Buffer) => unknown;
    /** Not once it has broken, of which the driver hears by itself. */
    readonly writable: boolean;
  };
  readonly parse: (query: { readonly text: string; readonly name?: string }) => void;
  readonly bind: (query: {
    readonly values: readonly (string | Buffer | null)[];
    readonly statement?: string;
  }) => void;
  readonly describe: (portal: { readonly type: 'P'; readonly name: '' }) => void;
  readonly execute: (portal: object) => void;
  readonly close: (statement: { readonly type: 'S'; readonly name: string }) => void;
  readonly sync: () => void;
}

/** What of the server's messages is heard. */
interface RowDescription {
  readonly fields: readonly { readonly name: string }[];
}

const NO_COLUMNS: readonly string[] = [];

/**
 * One statement on its way, as the driver's client runs what brings its own `submit`. The driver's own query is made for any use; this one takes rows from
 * {@link RowReader}, texts and nulls, has the server describe the columns once for a statement that it keeps, and lets go of rows that are
 * too many to be held at once.
 */
class StatementQuery implements pg.Submittable, RowSink {
  readonly #query: Query;
  readonly #named: NamedStatements | null;
  readonly #before: readonly Query[];
  readonly #resolve: (result: ResultSet) => void;
  readonly #reject: (error: unknown) => void;
  readonly #rows: Row[] = [];
  readonly #encoded: DataRows | null;
  #columns = NO_COLUMNS;
  /** The name under which the server is to keep it; null where it has been parsed before, or is run once. */
  #newName: string | null = null;
  #bytes = 0;
  #connection: pg.Connection | null = null;
  /** How many of those before it have not ended. */
  #awaited: number;

  constructor(
    query: Query,
    { named, before = [] }: Sending,
    resolve: (result: ResultSet) => void,
    reject: (error: unknown) => void,
  ) {
    this.#query = query;
    this.#encoded = query.encoded === true ? new DataRows() : null;
    this.#named = named ?? null;
    this.#before = before;
    this.#awaited = before.length;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  submit(connection: pg.Connection): void {
    this.#connection = connection;
    giveRows(connection, this);
    const wire = connection as unknown as Wire;
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
      for (const name of this.#named.leaving()) wire.close({ type: 'S', name });
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

  handleRowDescription({ fields }: RowDescription): void {
    this.#columns = fields.map(({ name }) => name);
  }

  /** Rows of those before it come without word of what their columns are, and nobody asked for them. */
  handleRows(bytes: Buffer, start: number, end: number): void {
    if (this.#awaited > 0) return;
    this.#bytes += end - start;
    if (this.#bytes > MOST_RESULT_BYTES) return;
    if (this.#encoded === null) readRows(bytes, start, end, this.#rows);
    else this.#encoded.add(bytes, start, end);
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
    else this.#resolve(this.#result());
  }

  handleError(error: unknown): void {
    this.#end();
    // Whether it was parsed before it failed, nobody can tell.
    if (this.#newName !== null) this.#named?.drop(this.#newName);
    this.#reject(error);
  }

  #result(): ResultSet {
    const [columns, rows, encoded] = [this.#columns, this.#rows, this.#encoded];
    return encoded === null ? { columns, rows } : { columns, rows, encoded };
  }

  #end(): void {
    if (this.#connection !== null) giveRows(this.#connection, null);
  }
}

/** Gives the values of a statement: by its name, or of the one that was parsed last. */
function bind(wire: Wire, values: readonly DriverValue[], statement = ''): void {
  if (areCopied(values)) {
    wire.bind({ values: values.map(sent), statement });
  } else if (wire.stream.writable) {
    for (const part of bindMessage(statement, values)) wire.stream.write(part);
  }
}

/** Whether all are short enough for the driver's own message: it copies them, twice. */
function areCopied(values: readonly DriverValue[]): values is readonly ShortValue[] {
  return values.every((value) => {
    if (value === null || typeof value === 'string') return true;
    return value instanceof Uint8Array && value.length <= LONG_TEXT;
  });
}

function sent(value: ShortValue): string | Buffer | null {
  return value === null || typeof value === 'string' || Buffer.isBuffer(value)
    ? value
    : bufferOf(value);
}

/**
 * Runs a statement in one round trip.
 * @param onError told of what it fails with, before whoever waits for it
 * @throws what it failed with, or what goes before it; ProtocolError answerTooLarge
 */
export function runStatement(
  client: pg.Client,
  query: Query,
  sending: Sending = {},
  onError: (error: unknown) => void = () => undefined,
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
