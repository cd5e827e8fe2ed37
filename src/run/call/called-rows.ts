import type { ResultSet, Row } from '../../database/database.ts';
import type { ApiFunction } from '../../model/functions/function-types.ts';
import type { CallQuery, Reader } from '../../sql/ir/statement.ts';
import type { Dialect } from '../../sql/dialect.ts';
import type { CallStatement } from '../../plan/call/call.ts';
import { catching, ProtocolError } from '../../base/errors.ts';
import { withoutPadding } from '../../base/text.ts';
import { KeyListBuilder } from '../../state/entity-set/builder.ts';
import type { KeyList, Room } from '../../state/entity-set/keys.ts';
import type { Dataclass } from '../../model/types.ts';
import { isPadded } from '../../schema/type-rules.ts';
import { type ColumnType, findNamed } from '../../schema/types.ts';
import { ConversionError } from '../convert/conversion-error.ts';
import { canonicalText } from '../convert/bind.ts';

/** Rows that a routine answered, and how their columns are read. */
export interface CalledRows {
  readonly columns: readonly CalledColumn[];
  readonly rows: readonly Row[];
}

export interface CalledColumn {
  readonly name: string;
  readonly reader: Reader;
}

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
  { query, statement }: CallStatement,
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

/** The keys in the first `most` rows of a routine, in their order, each once, from the columns `names`. Rows without a whole key are left out. */
export function calledKeys(
  { columns, rows }: CalledRows,
  names: readonly string[],
  dataclass: Dataclass,
  most: number,
  { dialect, room, fullName }: KeyContext,
): KeyList {
  const parts = dataclass.key.map(({ columnType }, part) => {
    const name = names[part] ?? '';
    const column = findNamed(columns, name, (one) => one.name, true);
    if (column === undefined) {
      const message = `${fullName} answered no column ${name}, which the key of ${dataclass.name} needs.`;
      throw new ProtocolError('badFunctionResult', message);
    }
    const reader: Reader =
      columnType.kind === 'hex' ? dialect.resultReader(columnType) : column.reader;
    return { index: columns.indexOf(column), reader, type: columnType };
  });
  const builder = new KeyListBuilder(room);
  const seen = new Set<string>();
  for (const row of rows.slice(0, most)) {
    const key = parts.map(({ index, reader, type }) => {
      const value = row[index];
      return value === null || value === undefined
        ? null
        : keyPart(reader.text(value), type, dialect);
    });
    const whole = key.filter((part) => part !== null);
    const text = JSON.stringify(whole);
    if (whole.length < key.length || seen.has(text)) continue;
    seen.add(text);
    builder.add(whole);
  }
  return builder.finish();
}

interface KeyContext {
  readonly dialect: Dialect;
  readonly room: Room;
  readonly fullName: string;
}

/** A part of a key as sets keep it; null for what its column cannot hold. */
function keyPart(text: string, type: ColumnType, { limits }: Dialect): string | null {
  const canonical = catching(
    ConversionError,
    () => canonicalText(text, type, limits),
    () => null,
  );
  return canonical !== null && isPadded(type) ? withoutPadding(canonical) : canonical;
}
