import type { RequestContext } from '../base/observe/observer.ts';
import type { Claims } from '../base/principal.ts';
import { isLongText, jsonStringPieces, type Text } from '../base/text.ts';
import { TimeSlice } from '../base/time.ts';
import type {
  BatchingDatabase,
  Command,
  Connection,
  Database,
  ResultSet,
  Row,
  RowCursor,
  RunOptions,
  SharedCount,
} from '../database/database.ts';
import type { Model } from '../model/types.ts';
import type { StampField } from '../plan/condition/types.ts';
import type { Literal } from '../protocol/ast.ts';
import type { ColumnType } from '../schema/types.ts';
import type { BoundValue, Dialect } from '../sql/dialect.ts';
import type { Period } from '../sql/ir/ir.ts';
import type { Reader, Statement } from '../sql/ir/statement.ts';
import { offsetNow } from '../sql/local-time.ts';
import type { StoredKeys } from '../state/entity-set/keys.ts';
import type { WriteLocks } from '../state/lock/entity-locks.ts';
import {
  bindKeys,
  bindParameter,
  findOutOfRange,
  type GivenValues,
  listBinder,
} from './convert/bind.ts';
import type { WriteStatements } from './save/rows/write-statements.ts';

/** What the statements of a request run with. */
export interface Execution {
  readonly database: BatchingDatabase;
  readonly model: Model;
  readonly activity: RequestContext;
  /** Null where entities are not locked. */
  readonly locks: WriteLocks | null;
  readonly statements: WriteStatements;
  /** Whether reads have to see what this request has committed; left out where it has committed nothing. */
  readonly fresh?: boolean;
  /** How many rows of a relation are enough, as the answer is cut before others; left out where it is not. */
  readonly enoughRows?: number | undefined;
}

/** The rows of a statement: as they came where they were asked for so, or decoded. */
export type FoundRows = Pick<ResultSet, 'rows' | 'encoded'>;

/** Runs the statements of one request: on the database, or in a transaction. */
export interface StatementSource {
  readonly dialect: Dialect;
  readonly run: (statement: Statement, inputs: Inputs) => Promise<readonly Row[]>;
  /** The same, with the rows as they came where they can be had so; left out where nobody takes them so. */
  readonly runEncoded?: (statement: Statement, inputs: Inputs) => Promise<FoundRows>;
  /** Prepares a count that may be shared with other requests; left out where it may not. */
  readonly counting?: (statement: Statement, inputs: Inputs) => SharedCount;
  readonly enoughRows?: Execution['enoughRows'];
}

interface ReadOptions extends Pick<RunOptions, 'fresh' | 'encoded' | 'batch'> {
  /** The epoch that the request came at, if its counts may be shared. */
  readonly epoch?: number;
}

export function readingFrom(
  {
    database,
    activity,
    fresh: committed,
    enoughRows,
  }: Pick<Execution, 'database' | 'activity' | 'fresh' | 'enoughRows'>,
  { fresh = committed ?? false, encoded = false, batch = false, epoch }: ReadOptions = {},
): StatementSource {
  const { signal, observer, principal } = activity;
  const options = { signal, observer, principal, fresh, batch };
  return {
    enoughRows,
    ...(encoded && { runEncoded: finding(database, database, { encoded, ...options }) }),
    ...(epoch !== undefined && {
      counting: (statement, inputs) => {
        const { claims } = activity.principal;
        const command = bindStatement(statement, inputs, database.dialect, claims);
        return database.count(command, activity, epoch);
      },
    }),
    ...sourceOn(database, { database, activity }, options),
  };
}

/** Statements on a connection, such as that of a transaction. */
export function sourceOn(
  connection: Connection,
  { database: { dialect }, activity }: Pick<Execution, 'database' | 'activity'>,
  options: RunOptions = activity,
): StatementSource {
  const find = finding(connection, { dialect }, options);
  return { dialect, run: async (statement, inputs) => (await find(statement, inputs)).rows };
}

function finding(
  { run }: Connection,
  { dialect }: Pick<Database, 'dialect'>,
  options: RunOptions,
): (statement: Statement, inputs: Inputs) => Promise<FoundRows> {
  return async (statement, inputs) => {
    const made = commandOf(statement, inputs, dialect, options);
    const command = made instanceof Promise ? await made : made;
    return run(command, options);
  };
}

/** A statement with the values of its parameters; long rows become text in slices. @throws as {@link bindStatement} */
function commandOf(
  statement: Statement,
  inputs: Inputs,
  dialect: Dialect,
  { principal: { claims }, signal }: RequestContext,
): Command | Promise<Command> {
  if (!hasLongRows(inputs)) return bindStatement(statement, inputs, dialect, claims);
  return withLongRows(statement, inputs, dialect, signal).then((given) =>
    bindStatement(statement, given, dialect, claims),
  );
}

function hasLongRows({ rows, rowsText: text }: Inputs): boolean {
  return rows !== undefined && text === undefined && areLong(rows);
}

/** The inputs of a statement with its rows, which are long, as the text that they become. */
async function withLongRows(
  { parameters }: Statement,
  inputs: Inputs,
  dialect: Dialect,
  signal: AbortSignal,
): Promise<Inputs> {
  const { rows = [] } = inputs;
  const list = parameters.find(
    (parameter) => parameter.kind === 'rows' || parameter.kind === 'keyList',
  );
  if (list === undefined) return inputs;
  return {
    ...inputs,
    rowsText: await longRowsText(rows, list.types, dialect, new TimeSlice(signal)),
  };
}

/** Some of the bytes of a column: how many stand before them, and how many they are at most. */
export interface Slice {
  readonly before: number;
  readonly length: number;
}

/** The values for the parameters of a statement. */
export interface Inputs {
  /** The values of the request, by parameter. */
  readonly values?: readonly Literal[];
  /** The keys or rows that the statement reads, in the order of their ordinals. */
  readonly rows?: readonly InputRow[];
  /** The same as {@link rowsText} makes it, where it was made before. */
  readonly rowsText?: Text;
  /** As {@link GivenValues} has it. */
  readonly lastRow?: readonly (string | null)[];
  readonly period?: Period;
  readonly slice?: Slice;
  readonly bytes?: readonly (Uint8Array | null)[];
}

const NO_SLICE: Slice = { before: 0, length: 0 };

/** A statement with the values of its parameters; `claims` are those of the user. @throws ProtocolError wrongType for a value that does not fit */
export function bindStatement(
  printed: Statement,
  inputs: Inputs,
  dialect: Dialect,
  claims: Claims,
): Command {
  const { values = [], rows = [], rowsText: text, bytes = [], slice = NO_SLICE } = inputs;
  const { lastRow = [], period } = inputs;
  const given: GivenValues = {
    values,
    claims,
    lastRow,
    ...(period !== undefined && { period }),
  };
  const isOneKey = rows.length === 1 && text === undefined;
  const statement = fittedTo(
    (isOneKey ? printed.ofOneKey?.() : undefined) ?? printed,
    given,
    dialect,
  );
  const listItem = listBinder(given, dialect);
  const bound = statement.parameters.map((parameter): BoundValue => {
    switch (parameter.kind) {
      case 'parameter':
        return bindParameter(parameter, given, dialect);
      case 'listItem':
        return listItem(parameter.list, parameter.index);
      case 'keys':
        return bindKeys(parameter, values, dialect);
      case 'constant':
        return parameter.value;
      case 'keyList':
      case 'rows':
        return text ?? rowsText(rows, parameter.types, dialect);
      case 'rowField':
        return cellInput(rows[0]?.[parameter.index] ?? null, parameter.type, dialect);
      case 'offset':
        return String(offsetNow(parameter.timeZone));
      case 'slice':
        return String(slice[parameter.part]);
      case 'bytes':
        return bytes[parameter.index] ?? null;
    }
  });
  return { statement, values: bound };
}

/** The statement, printed for the values that their parameters' types cannot hold, where there are any. */
export function fittedTo(statement: Statement, given: GivenValues, dialect: Dialect): Statement {
  if (statement.reprinted === undefined) return statement;
  const outOfRange = findOutOfRange(statement.parameters, given, dialect.limits);
  return outOfRange.size === 0 ? statement : statement.reprinted(outOfRange);
}

/** The value of a result column as JSON text. */
export function cellJson({ readers }: Pick<Statement, 'readers'>, row: Row, index: number): string {
  const value = row[index];
  if (value === null || value === undefined) return 'null';
  return readers[index]?.json(value) ?? 'null';
}

/** The value of a result column as canonical text; null for null. */
export function cellText(
  { readers }: Pick<Statement, 'readers'>,
  row: Row,
  index: number,
): string | null {
  const value = row[index];
  if (value === null || value === undefined) return null;
  return readers[index]?.text(value) ?? null;
}

/** A row that a statement is given, a key or what is to be written: canonical texts and nulls. */
export type InputRow = readonly (string | null)[];

/** Rows of more characters take too long to become JSON in one turn of the event loop. */
const LONG = 524_288;

/** Rows as JSON text, each with its ordinal before its fields. @param first the ordinal of the first one */
export function rowsText(
  rows: readonly InputRow[],
  types: readonly ColumnType[],
  dialect: Dialect,
  first = 0,
): string {
  let ordinal = first;
  // Not by a spread: this runs for each row that is written.
  return JSON.stringify(
    rows.map((row) => {
      const cells: (string | number | null)[] = [ordinal];
      ordinal += 1;
      for (const cell of row) cells.push(cellInput(cell, types[cells.length - 1], dialect));
      return cells;
    }),
  );
}

/** Whether rows take long to become JSON. */
export function areLong(rows: readonly InputRow[]): boolean {
  let length = 0;
  for (const row of rows) {
    for (const cell of row) length += cell?.length ?? 0;
    if (length > LONG) return true;
  }
  return false;
}

/** Rows as the pieces of their JSON text, as {@link rowsText} makes it, in time slices. @throws ClientGone */
export async function longRowsText(
  rows: readonly InputRow[],
  types: readonly ColumnType[],
  dialect: Dialect,
  slice: TimeSlice,
): Promise<Text> {
  const texts: string[] = ['['];
  for (const [ordinal, row] of rows.entries()) {
    if (slice.isOver()) await slice.pause();
    const cells = row.map((cell, part) => cellInput(cell, types[part], dialect));
    if (ordinal > 0) texts.push(',');
    if (!cells.some((cell) => cell !== null && isLongText(cell))) {
      texts.push(JSON.stringify([ordinal, ...cells]));
      continue;
    }
    texts.push('[', String(ordinal));
    for (const text of cells) {
      texts.push(',');
      for (const piece of text === null ? ['null'] : jsonStringPieces(text)) {
        texts.push(piece);
        if (slice.isOver()) await slice.pause();
      }
    }
    texts.push(']');
  }
  texts.push(']');
  return texts;
}

/** A cell as the text that a parameter of its type takes. */
export function cellInput(
  cell: string | null,
  type: ColumnType | undefined,
  dialect: Dialect,
): string | null {
  return cell === null || type === undefined ? cell : dialect.parameterText(cell, type);
}

/** How many keys become text in one step, which takes a millisecond or two. */
const KEYS_PER_STEP = 5000;

/** Keys `from` to before `to` as the JSON text that a statement takes, made in time slices. */
export async function keysText(
  keys: StoredKeys,
  from: number,
  to: number,
  { parameters }: Statement,
  { database: { dialect }, activity: { signal } }: Pick<Execution, 'database' | 'activity'>,
): Promise<string> {
  const list = parameters.find(({ kind }) => kind === 'keyList' || kind === 'rows');
  const types = list?.kind === 'keyList' || list?.kind === 'rows' ? list.types : [];
  const pieces: string[] = [];
  const slice = new TimeSlice(signal);
  for (let at = from; at < to; at += KEYS_PER_STEP) {
    if (slice.isOver()) await slice.pause();
    const some = await keys.slice(at, Math.min(at + KEYS_PER_STEP, to));
    pieces.push(rowsText(some, types, dialect, at).slice(1, -1));
  }
  return `[${pieces.join(',')}]`;
}

/** The stamp of entities that have none. */
const NO_STAMP = '1';

/** A function that reads the stamp of a row as digits (§2.1: an integer that is never 0). @param readers those of its columns */
export function stampReader(stamp: StampField, readers: readonly Reader[]): (row: Row) => string {
  switch (stamp.kind) {
    case 'none':
      return () => NO_STAMP;
    case 'column': {
      const { column } = stamp;
      const read = textReader(column, readers);
      return (row) => read(row) ?? '';
    }
    case 'hash': {
      const { columns, hash, bits } = stamp;
      const cells = columns.map((column) => textReader(column, readers));
      return (row) => {
        hash.begin();
        for (const read of cells) {
          const text = read(row);
          if (text === null) hash.addNull();
          else hash.addText(text);
        }
        return stampOf(hash.end(), bits);
      };
    }
  }
}

/** A function that makes the stamp of a hash from a row as it came. @param readers those of its columns */
export function encodedHashReader(
  { columns, hash, bits }: Extract<StampField, { kind: 'hash' }>,
  readers: readonly Reader[],
): (row: RowCursor) => string {
  const cells = columns.map((column) => {
    const { text, utf8 } = readerOf(readers, column);
    return { column, text, isCopied: utf8 !== undefined && utf8 !== 'truth' };
  });
  return (row) => {
    hash.begin();
    for (const { column, text, isCopied } of cells) {
      const from = row.starts[column] ?? 0;
      const size = row.lengths[column] ?? -1;
      if (size < 0) hash.addNull();
      else if (isCopied) hash.addBytes(row.bytes, from, from + size);
      else hash.addText(text(row.text(column)));
    }
    return stampOf(hash.end(), bits);
  };
}

/** The reader of a result column. @throws Error where there is none */
export function readerOf(readers: readonly Reader[], column: number): Reader {
  const found = readers[column];
  if (found === undefined) throw new Error(`result column ${column} has no reader`);
  return found;
}

/** A function that reads a result column as canonical text; null for null. */
export function textReader(
  column: number,
  readers: readonly Reader[],
): (row: Row) => string | null {
  const { text } = readerOf(readers, column);
  return (row) => {
    const value = row[column];
    return value === null || value === undefined ? null : text(value);
  };
}

/** A hash as a stamp of some bits; 0, which marks an undefined reference, becomes the highest stamp. */
function stampOf(hash: number, bits: 53 | 31): string {
  const cut = bits === 53 ? hash : hash % 2 ** bits;
  return String(cut === 0 ? 2 ** bits - 1 : cut);
}
