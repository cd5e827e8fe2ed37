import type { ResultSet, Row } from '../../database/database.ts';
import type { ApiFunction } from '../../model/functions/function-types.ts';
import type { CallQuery } from '../../sql/ir/call.ts';
import type { Dialect, Reader } from '../../sql/dialect.ts';
import type { PrintedCallStatement } from './print-call.ts';

/** Rows that a routine answered, and how their columns are read. */
export interface CalledRows {
  readonly columns: readonly CalledColumn[];
  readonly rows: readonly Row[];
}

/** A column of such rows. */
export interface CalledColumn {
  readonly name: string;
  readonly reader: Reader;
}

/** What a routine answered. */
export interface CalledAnswer {
  readonly results: readonly CalledRows[];
  /** The parameters that go out, by name, as JSON text. */
  readonly outputs: ReadonlyMap<string, string>;
  /** What a procedure returns besides, as JSON text; `null` where its engine has nothing like it. */
  readonly returned: string;
}

/** Tells what is what of the results of a call. */
export function calledAnswer(
  results: readonly ResultSet[],
  { query, statement }: PrintedCallStatement,
  { routine }: ApiFunction,
  dialect: Dialect,
): CalledAnswer {
  if (query.kind === 'function') {
    const [first] = results;
    const rows =
      first === undefined ? [] : [functionRows(first, query, statement.readers, dialect)];
    return { results: rows, outputs: new Map(), returned: 'null' };
  }
  const row = results.at(-1)?.rows[0] ?? [];
  const texts = statement.readers.map((reader, index) => {
    const value = row[index];
    return value === null || value === undefined ? 'null' : reader.json(value);
  });
  const returned = dialect.hasReturnValue ? (texts.shift() ?? 'null') : 'null';
  const names = routine.parameters.flatMap(({ name, direction }) =>
    direction === 'in' ? [] : [name],
  );
  return {
    results: results.slice(0, -1).map((result) => typedRows(result, dialect)),
    outputs: new Map(names.map((name, index) => [name, texts[index] ?? 'null'])),
    returned,
  };
}

function functionRows(
  result: ResultSet,
  { columns }: CallQuery,
  readers: readonly Reader[],
  dialect: Dialect,
): CalledRows {
  if (columns === null) return typedRows(result, dialect);
  return {
    rows: result.rows,
    columns: columns.flatMap(({ name }, index) => {
      const reader = readers[index];
      return reader === undefined ? [] : [{ name, reader }];
    }),
  };
}

/** Rows whose columns the driver alone knows. */
function typedRows({ columns, rows, types = [] }: ResultSet, dialect: Dialect): CalledRows {
  return {
    rows,
    columns: columns.flatMap((name, index) => {
      const type = types[index];
      return type === undefined ? [] : [{ name, reader: dialect.resultReader(type) }];
    }),
  };
}
