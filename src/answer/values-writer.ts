import type { Row } from '../database/database.ts';
import type { ComputePlan } from '../plan/read/compute.ts';
import type { Computation } from '../protocol/ast.ts';
import type { Reader } from '../sql/ir/statement.ts';
import { exactAverage, withoutLastZeros } from '../run/convert/numbers.ts';
import { readerOf } from '../run/run.ts';
import { valueWriter } from './entities/entity-uri.ts';
import type { DistinctPlan } from '../plan/read/distinct.ts';

/** The computations on texts. */
const OF_TEXTS: ReadonlySet<Computation> = new Set(['count', 'min', 'max']);

/** Compiles the writer of a computation (§4.10): one value, or all by the name of the attribute. Of no values the sum is 0, all others are null. */
export function compileCompute(plan: ComputePlan): (row: Row | null) => string {
  const { under, computed, columns, statement } = plan;
  const { readers } = statement;
  const write = compileComputation(plan, readers);
  if (under === null) {
    const [only] = computed;
    if (only === undefined) throw new Error('nothing is computed');
    return (row) => write(only, row);
  }
  const name = JSON.stringify(under);
  const numbers = compileCount(columns.numbers ?? columns.count, readers);
  const values = compileCount(columns.count, readers);
  return (row) => {
    // A property that holds texts alone has only the computations on texts.
    const isNumeric = columns.numbers === null || numbers(row) > 0n || values(row) === 0n;
    const fields = (isNumeric ? computed : computed.filter((one) => OF_TEXTS.has(one))).map(
      (one) => `${JSON.stringify(one)}:${write(one, row)}`,
    );
    return `{${name}:{${fields.join(',')}}}`;
  };
}

/** Compiles the writer of a result column's value; null for a null, and where there is no column. */
function compileColumn(
  column: number | null,
  write: (value: unknown) => string,
): (row: Row | null) => string | null {
  return (row) => {
    const value = column === null ? null : (row?.[column] ?? null);
    return value === null ? null : write(value);
  };
}

function compileCount(column: number, readers: readonly Reader[]): (row: Row | null) => bigint {
  const read = compileColumn(column, readerOf(readers, column).text);
  return (row) => BigInt(read(row) ?? 0);
}

function compileComputation(
  { columns, attribute, isFloat }: ComputePlan,
  readers: readonly Reader[],
): (computation: Computation, row: Row | null) => string {
  const isProperty = columns.numbers !== null;
  const count = compileCount(columns.count, readers);
  const numbers = compileCount(columns.numbers ?? columns.count, readers);
  const value = (column: number | null, isNumber: boolean): ReturnType<typeof compileColumn> => {
    if (column === null) return () => null;
    const reader = readerOf(readers, column);
    // Numbers in JSON have no column type that says how many digits they have.
    const write =
      isProperty && isNumber
        ? (wire: unknown) => reader.json(withoutLastZeros(reader.text(wire)))
        : valueWriter(reader, attribute);
    return compileColumn(column, write);
  };
  const extremes = {
    min: [value(columns.min, true), value(columns.textMin, false)],
    max: [value(columns.max, true), value(columns.textMax, false)],
  } as const;
  const sum = value(columns.sum, true);
  const average = (row: Row | null): string | null => {
    const total = columns.sum === null ? null : (row?.[columns.sum] ?? null);
    const size = numbers(row);
    if (columns.sum === null || total === null || size === 0n) return null;
    return averageJson(readerOf(readers, columns.sum), total, size, isFloat);
  };
  return (computation, row) => {
    switch (computation) {
      case 'count':
        return count(row).toString();
      case 'sum':
        return sum(row) ?? '0';
      case 'average':
        return average(row) ?? 'null';
      case 'min':
      case 'max': {
        const [number, text] = extremes[computation];
        return number(row) ?? text(row) ?? 'null';
      }
    }
  };
}

/** The average of a sum, as JSON: of floats as a float, of others with all digits. @param sum as it came */
export function averageJson(
  { text, json }: Reader,
  sum: unknown,
  count: bigint,
  isFloat: boolean,
): string {
  const digits = text(sum);
  return json(isFloat ? String(Number(digits) / Number(count)) : exactAverage(digits, count));
}

/** Compiles the writer of a request for distinct values (§4.11). */
export function compileDistinct({
  statement,
  types,
  isProperty,
  attribute,
}: DistinctPlan): (rows: readonly Row[]) => string {
  const writers = statement.readers.map((reader, column) => {
    return isProperty && types[column]?.kind === 'decimal'
      ? (value: unknown) => reader.json(withoutLastZeros(reader.text(value)))
      : valueWriter(reader, attribute);
  });
  const written = (row: Row): string => {
    const column = row.findIndex((value) => value !== null && value !== undefined);
    return writers[column]?.(row[column]) ?? 'null';
  };
  return (rows) => `[${rows.map(written).join(',')}]`;
}
