import { createHash } from 'node:crypto';
import type { ColumnType, RoutineColumn } from '../../schema/types.ts';
import type { FilteredColumn } from './index-use.ts';
import type {
  ColumnRef,
  CountQuery,
  GlobalStampQuery,
  KeyedQuery,
  KeysParameter,
  Parameter,
  ParameterUse,
  RelatedQuery,
  SelectQuery,
  VersionBoundQuery,
  WriteQuery,
} from './ir.ts';
import type { AggregateQuery, DistinctQuery, GroupsQuery } from './value-ir.ts';

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
  /** One field of the only row that a statement writes, by its index behind the ordinal. */
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
  /** Prints the query again for a request with values that are out of range; left out if it compares no value. */
  readonly reprinted?: (outOfRange: OutOfRange) => Statement;
  /** Prints, once, the query for a list of a single key; left out if that has the same text. */
  readonly ofOneKey?: () => Statement;
  /** It needs no transaction around it: a cancelled `statement` does nothing, while a `batch`, with a transaction in it, may have committed. */
  readonly commitsItself?: 'statement' | 'batch';
  /** The columns of its filter; left out if there are none, or if values are used for more than the filter and the window. */
  readonly filtered?: readonly FilteredColumn[];
  /** The calculated attributes in it that the request names, `Employee.yearly`; left out if it computes none, empty if only filters of roles name some. */
  readonly computed?: readonly string[];
  /** It finds one row by its key, so that its plan does not depend on the values. */
  readonly findsOne?: true;
  /** Prints, once, the query for several requests ({@link Printer.printTogether}); left out if each request runs it alone. */
  readonly together?: () => Statement | null;
}

/** Parameters whose types cannot hold their values, and where those lie; `nowhere` for a list. A value between two others is bound as the lower one. */
export type OutOfRange = ReadonlyMap<StatementParameter, Side | 'nowhere'>;

/** Where an out-of-range value lies: below or above all values of the type, or between two of them. */
export type Side = 'below' | 'above' | 'between';

/** A value as the driver hands it over; what it is depends on the dialect's projection of the column. */
export type WireValue = unknown;

/** Converts the non-null wire values of one result column. The printer chooses it, because it knows in which form it asked for them. */
export interface Reader {
  /** The value as JSON text. */
  readonly json: (value: WireValue) => string;
  /** The JSON text of a long value in pieces; null for other values. Left out if the type has no long values. */
  readonly longJson?: (value: WireValue) => Generator<string, void> | null;
  /** The value as plain text: canonical, and accepted back as a parameter of the same type. */
  readonly text: (value: WireValue) => string;
  /** The value as bytes; only for slices. */
  readonly bytes?: (value: WireValue) => Buffer;
  /** The form of the value in UTF-8, if most values become JSON byte for byte; left out if each has to be read. */
  readonly utf8?: Utf8Form;
}

/**
 * Forms of values in UTF-8: a whole number; a decimal; text, to be quoted unless it needs escapes; ASCII text; `t` or `f`.
 * Except for `truth`, {@link Reader.text} returns the value unchanged.
 */
export type Utf8Form = 'integer' | 'decimal' | 'text' | 'ascii' | 'truth';

/** The part of a dialect that plans are printed by. */
export interface Printer {
  /** Prints a statement that reads. */
  readonly print: (query: Query) => Statement;
  /**
   * Prints a read for several requests that differ only in their values; null if that is not possible. Each parameter of the query becomes a list
   * with the values of all requests; each row ends with the ordinal of its request, counted from 1.
   */
  readonly printTogether: ((query: SelectQuery) => Statement | null) | null;
  /** Whether indexes have nulls first, as the order of rows has. */
  readonly nullsFirst: boolean;
  /** Prints a page that skips the rows before it by their key alone; null if that is not possible. @param key as {@link keyOrder} has it */
  readonly printDeepPage:
    ((query: SelectQuery, key: readonly ColumnRef[]) => Statement | null) | null;
  /** Prints a statement that writes; null for a trial that tells no more, and for an UnencodableQuery if no column can lose a character. */
  readonly printWrite: (query: WriteQuery) => Statement | null;
  /**
   * Prints a call of a routine. The readers are for the last result: the rows of a function, or a procedure's one row of what it returns (on
   * engines that have that) and its out parameters, in their order.
   */
  readonly printCall: (query: CallQuery) => Statement;
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

/** Makes a statement that can be printed again for values that are out of range, if it compares a value. @param print null if there is no such statement */
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

/** A statement of the gateway itself, without values. */
export function plainStatement(text: string, effect: Statement['effect'] = 'read'): Statement {
  return { name: statementName(text), text, effect, parameters: [], readers: [] };
}

/** Whether each request has its own value for a parameter. */
export function isOfRequest(parameter: StatementParameter): boolean {
  const { kind } = parameter;
  return kind === 'rowField' || (kind === 'parameter' && parameter.source.from === 'request');
}

/** A call of a routine, in physical names. A client's values are fields of the statement's only row, or bytes. */
export interface CallQuery {
  readonly kind: 'procedure' | 'function';
  readonly schema: string;
  readonly name: string;
  /** In the order of their declaration, without the inputs of a procedure that have no value. */
  readonly arguments: readonly CallArgument[];
  /** The columns of a function's rows, `[]` for a function without a result; null where only the answer tells them, and of a procedure. */
  readonly columns: readonly RoutineColumn[] | null;
  /** A function returns one value, and no row. */
  readonly isScalar: boolean;
  /** The most rows of a function that are read. */
  readonly most: number;
}

export interface CallArgument {
  readonly name: string;
  /** It is passed by its position, because it has no name. */
  readonly nameless: boolean;
  /** The parameter's own type. */
  readonly type: ColumnType;
  readonly direction: 'in' | 'out' | 'inout';
  readonly value: CallValue;
}

export type CallValue =
  /** A field of the row, by its index: canonical text of a type. */
  | { readonly kind: 'field'; readonly index: number; readonly type: ColumnType }
  /** The n-th bytes. */
  | { readonly kind: 'bytes'; readonly index: number }
  /** A table whose rows are those of a field: JSON text, `[[part, …], …]`. */
  | {
      readonly kind: 'table';
      readonly index: number;
      readonly table: { readonly schema: string; readonly name: string };
      readonly parts: readonly ColumnType[];
    }
  /** The routine's own default; null where it has none. */
  | { readonly kind: 'default' };

export type Query =
  | SelectQuery
  | CountQuery
  | RelatedQuery
  | KeyedQuery
  | GlobalStampQuery
  | VersionBoundQuery
  | AggregateQuery
  | DistinctQuery
  | GroupsQuery;
