import type { ColumnType } from '../schema/types.ts';
import type { Output, RowLock, TableSource, VersionKind } from './ir/ir.ts';
import type { Reader, StatementParameter } from './ir/statement.ts';

/** The words and expressions in which the dialects differ, where a template is enough. */
export interface Syntax {
  /** The statement's n-th parameter, counted from 1. */
  readonly placeholder: (number: number) => string;
  /** Follows a LIKE pattern, to say how the dialect's `likeLiteral` escapes. */
  readonly likeEscape: string;
  /** Stands for an order of rows that have none, where the dialect requires one. */
  readonly anyOrder: string;
  /** Follows a table whose rows are locked until the transaction ends. */
  readonly lockHint: string;
  /** Ends a statement that locks the rows of a table for a change. */
  readonly lockClause: (lock: RowLock, alias: string) => string;
  /** The boolean true as a value. */
  readonly trueValue: string;
  /** A condition that is always true, or always false. */
  readonly constantCondition: (value: boolean) => string;
  /** A condition that is true where another one is false or unknown. */
  readonly isNotTrue: (condition: string) => string;
  /** A condition as a boolean that is never null: false where it is unknown. */
  readonly truth: (condition: string) => string;
  /** A boolean: whether a column is not null. */
  readonly presence: (column: string) => string;
  /** Whether a column's collation makes no difference between upper and lower case. */
  readonly ignoresCase: (type: ColumnType) => boolean;
  /** A CHAR column without its padding. */
  readonly unpadded: (column: string) => string;
  /** An integer constant that may be larger than an int. */
  readonly bigint: (digits: string) => string;
  readonly count: 'COUNT' | 'COUNT_BIG';
  readonly globalStamp: string;
  /** The changed rows of a table behind a version, as a source with their keys; null where the engine does not track them. */
  readonly changedRows: ((table: string, version: string) => string) | null;
  /** The columns of a {@link VersionBoundQuery}, by where the versions are; null where the engine has none there. */
  readonly versionBound: Readonly<
    Record<VersionKind, ((table: string) => readonly string[]) | null>
  >;
  readonly byteLength: (bytes: string) => string;
  /** Bytes behind the first `before` ones, at most `length`. */
  readonly slice: (bytes: string, before: string, length: string) => string;
  /** The SHA-256 of bytes. */
  readonly digest: (bytes: string) => string;
  /** Bytes as hexadecimal digits, ordered as the bytes are. */
  readonly hexDigits: (bytes: string) => string;
  readonly fromHexDigits: (digits: string) => string;
  readonly integerReader: Reader;
  /** The readers of outputs that are not values of columns. */
  readonly readers: Readonly<Record<Exclude<Output['kind'], 'value' | 'stamp'>, Reader>>;
}

/**
 * A quoted identifier. In sessions of SQL Server QUOTED_IDENTIFIER is on (https://www.postgresql.org/docs/current/sql-syntax-lexical.html,
 * https://learn.microsoft.com/sql/t-sql/statements/set-quoted-identifier-transact-sql).
 */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The rows of a table or view (https://www.postgresql.org/docs/current/sql-select.html#SQL-FROM). */
export function rowsOf(table: Pick<TableSource, 'schema' | 'name' | 'only'>): string {
  return `${table.only === true ? 'ONLY ' : ''}${qualified(table)}`;
}

/** A table, view or routine by its schema and its name. */
export function qualified({ schema, name }: { schema: string; name: string }): string {
  return `${identifier(schema)}.${identifier(name)}`;
}

/** A result column: its SQL, and how its values are read. */
export interface PrintedOutput {
  readonly sql: string;
  readonly reader: Reader;
}

/** Outputs as the list of a SELECT. */
export function selected(outputs: readonly PrintedOutput[]): string {
  return outputs.map(({ sql }) => sql).join(', ');
}

/** Outputs as the rest of a list that something stands before. */
export function alsoSelected(outputs: readonly PrintedOutput[]): string {
  return outputs.map(({ sql }) => `, ${sql}`).join('');
}

/** Whether equal parameters of this kind are given the same value: nothing but what they say decides it. */
export function isOneWhereEqual(parameter: StatementParameter): boolean {
  const { kind } = parameter;
  if (kind === 'parameter') return parameter.source.from !== 'request';
  if (kind === 'listItem') return parameter.list.source.from !== 'request';
  return kind === 'constant' || kind === 'offset' || kind === 'rowField';
}
