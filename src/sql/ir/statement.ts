import type { ColumnType } from '../../schema/types.ts';
import type { CallQuery, Query } from './call.ts';
import type { FilteredColumn } from './index-use.ts';
import type {
  ColumnRef,
  KeysParameter,
  Parameter,
  ParameterUse,
  SelectQuery,
  WriteQuery,
} from './ir.ts';
import { createHash } from 'node:crypto';

/** What a value parameter of a statement is filled from. */
export type StatementParameter =
  | Parameter
  | KeysParameter
  /** A value of a short list, counted from 0; behind its end, the list is filled up with one that it has. Null where it has none. */
  | { readonly kind: 'listItem'; readonly list: Parameter; readonly index: number }
  /** What the plan itself says: the names of a path into JSON, which are part of the request's shape and none of its values. */
  | { readonly kind: 'constant'; readonly type: ColumnType; readonly value: string }
  /** The list of parent keys of a related query, as JSON rows `[ordinal, part, …]`. */
  | { readonly kind: 'keyList'; readonly types: readonly ColumnType[] }
  /** The rows that a statement writes, as JSON rows `[ordinal, field, …]`; a field is text or null. */
  | { readonly kind: 'rows'; readonly types: readonly ColumnType[] }
  /** One field of the only row that a statement writes, by its place behind the ordinal, counted from 0. */
  | { readonly kind: 'rowField'; readonly index: number; readonly type: ColumnType }
  /** How many seconds the clocks of a time zone are ahead of UTC when the statement runs. */
  | { readonly kind: 'offset'; readonly timeZone: string }
  /** Which bytes of a column are read: how many stand before the first one, or how many they are at most. */
  | { readonly kind: 'slice'; readonly part: 'before' | 'length' }
  /** The n-th bytes that are assigned, counted from 0. */
  | { readonly kind: 'bytes'; readonly index: number };

/** A printed query: its text is one for all values, but those that it is {@link Statement.reprinted} for. */
export interface Statement {
  /** Equal for statements of equal text, and for one and its {@link Statement.ofOneKey}; short enough for a label. */
  readonly name: string;
  readonly text: string;
  /** A write is answered with the rules of the database that it breaks. */
  readonly effect: 'read' | 'write';
  /** In the order of the text's placeholders. */
  readonly parameters: readonly StatementParameter[];
  /** One reader for each column of the result. */
  readonly readers: readonly Reader[];
  /**
   * Prints the query again for a request with values that their parameters' types cannot hold. Left out where no value is
   * compared.
   */
  readonly reprinted?: (outOfRange: OutOfRange) => Statement;
  /** The same for a list of keys that is a single one, printed when it is first asked for. Left out where it is printed alike. */
  readonly ofOneKey?: () => Statement;
  /**
   * It is a transaction, where none is open: a statement, of which nothing is done when it was cancelled, or a batch with a transaction in it, which may have been committed by
   * then. Left out where a transaction has to be begun for it.
   */
  readonly commitsItself?: 'statement' | 'batch';
  /** The columns that its rows are sought by, where the values that it is given are used for nothing else but a window. Left out where they are, or where there are none. */
  readonly filtered?: readonly FilteredColumn[];
  /** It finds one row by its key: how it is run does not depend on the values. Left out where it may. */
  readonly findsOne?: true;
  /** The same for several requests, see {@link Printer.printTogether}; printed when it is first asked for. Left out where each runs it alone. */
  readonly together?: () => Statement | null;
}

/**
 * Parameters whose values no value of their types equals, and where those lie; one between two values is bound as the lower one.
 * Of a list it is `nowhere`: each of its values lies somewhere else.
 */
export type OutOfRange = ReadonlyMap<StatementParameter, Side | 'nowhere'>;

/** Where a value lies that a type does not have: below or above all values of the type, or between two of them. */
export type Side = 'below' | 'above' | 'between';

/** A value as the driver hands it over; what it is depends on the dialect's projection of the column. */
export type WireValue = unknown;

/**
 * Turns the non-null wire values of one result column into what the gateway needs of them. Chosen when the statement
 * is printed, because the printer knows in which form it asked for the value.
 */
export interface Reader {
  /** The value as JSON text. */
  readonly json: (value: WireValue) => string;
  /** The same piece by piece, of a value that takes long; null of any other. Of types alone that have such values. */
  readonly longJson?: (value: WireValue) => Generator<string, void> | null;
  /** The value as plain text: canonical, and accepted back as a parameter of the same type. */
  readonly text: (value: WireValue) => string;
  /** The value as bytes; of a slice alone. */
  readonly bytes?: (value: WireValue) => Buffer;
  /** How the value comes as text in UTF-8, where {@link json} hardly changes that: most values become JSON byte for byte. Left out where each has to be read. */
  readonly utf8?: Utf8Form;
}

/**
 * Forms of values in UTF-8: digits of a whole number, or with a point between two of them; text that goes between quotes where nothing in it has to be escaped, or where it is ASCII besides; `t` or `f`. But for
 * the last, {@link Reader.text} is the value as it came.
 */
export type Utf8Form = 'integer' | 'decimal' | 'text' | 'ascii' | 'truth';

/** A printed query that keeps its IR. */
export type Prepared<Printed extends Query = Query> = Statement & { readonly query: Printed };

/** The part of a dialect that plans are printed by. */
export interface Printer {
  /** Prints a statement that reads. */
  readonly print: (query: Query) => Statement;
  /**
   * Prints a read of several requests at once, which differ in their values alone. Its parameters are those of the query, in their order; each value of a request's is a list of
   * all requests' values. Each row has one more column at its end: the ordinal of the request that it is for, counted from 1. Null
   * where the query cannot be printed so; the engine may have no such statement at all.
   */
  readonly printTogether: ((query: SelectQuery) => Statement | null) | null;
  /**
   * Prints a page so that the rows before it are skipped by their key alone; null where they are not. The engine may have no use for it at all.
   * @param key as {@link keyOrder} has it
   */
  readonly printDeepPage:
    ((query: SelectQuery, key: readonly ColumnRef[]) => Statement | null) | null;
  /** Prints a statement that writes; null for an UnencodableQuery where no column can lose a character. */
  readonly printWrite: (query: WriteQuery) => Statement | null;
  /**
   * Prints a call of a routine. Its readers are for the last result: the rows of a function; of a procedure one row of what it returns,
   * on engines that have that, and of its parameters that go out, in their order.
   */
  readonly printCall: (query: CallQuery) => Statement;
}

/** Prints a query that reads. */
export function prepare<Printed extends Query>(
  query: Printed,
  { print }: Printer,
): Prepared<Printed> {
  return { query, ...print(query) };
}

/** Prints a statement when it is first asked for. */
export function lazily(print: () => Statement | null): () => Statement | null {
  let printed: Statement | null | undefined;
  return () => (printed === undefined ? (printed = print()) : printed);
}

/** The type of a lock's name. */
export const LOCK_NAME: ColumnType = {
  kind: 'text',
  maxLength: 255,
  padded: false,
  native: 'nvarchar(255)',
};

/** One name as a parameter. */
const ONE: StatementParameter = { kind: 'rowField', index: 0, type: LOCK_NAME };

/** Names as a parameter, as JSON rows `[ordinal, name]`. */
const MANY: StatementParameter = { kind: 'rows', types: [LOCK_NAME] };

/** A statement about one name, or about many. */
export function lockStatement(text: string, names: 'one' | 'many'): Statement {
  return { ...plainStatement(text), parameters: [names === 'one' ? ONE : MANY] };
}

/** No value is out of range. */
export const ALL_IN_RANGE: OutOfRange = new Map();

/**
 * A statement that can be printed again for values that are out of range, where it compares a value at all.
 * @param print prints it; null where the dialect has nothing to say
 */
export function reprintable(print: (outOfRange: OutOfRange) => Statement): Statement;
export function reprintable(print: (outOfRange: OutOfRange) => Statement | null): Statement | null;
export function reprintable(print: (outOfRange: OutOfRange) => Statement | null): Statement | null {
  const statement = print(ALL_IN_RANGE);
  if (statement === null || !comparesValue(statement)) return statement;
  return { reprinted: (outOfRange) => print(outOfRange) ?? statement, ...statement };
}

function comparesValue({ parameters }: Statement): boolean {
  return parameters.some((parameter) => {
    const { kind } = parameter;
    return kind === 'listItem' || (kind === 'parameter' && COMPARED.has(parameter.use));
  });
}

const COMPARED: ReadonlySet<ParameterUse> = new Set(['value', 'list']);

/** How many characters of a hash name a statement: of a million texts, two share a name with a chance of 1 to 10^10. */
const NAME_LENGTH = 12;

/** A name for a statement: equal for equal texts, and short enough for a label. */
export function statementName(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, NAME_LENGTH);
}

/** A statement that never had values: one of the gateway's own. */
export function plainStatement(text: string, effect: Statement['effect'] = 'read'): Statement {
  return { name: statementName(text), text, effect, parameters: [], readers: [] };
}

/** Whether a parameter's value comes with each request; all others are the same for all who ask alike. */
export function isOfRequest(parameter: StatementParameter): boolean {
  const { kind } = parameter;
  return kind === 'rowField' || (kind === 'parameter' && parameter.source.from === 'request');
}
