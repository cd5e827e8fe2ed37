import type { Row } from '../database/database.ts';
import type { Computation, ComputePlan } from '../plan/read/compute.ts';
import type { Reader } from '../sql/dialect.ts';
import { exactAverage, withoutLastZeros } from '../run/convert/numbers.ts';
import { valueWriter } from './value-writer.ts';
import type { DistinctPlan } from '../plan/read/distinct.ts';

/** Writes what was computed, or null where nothing was looked at, as the JSON text of the answer. */
export type ComputeWriter = (row: Row | null) => string;

/** What is computed of texts. */
const OF_TEXTS: ReadonlySet<Computation> = new Set(['count', 'min', 'max']);

/**
 * Compiles the writer of a printed computation (§4.10): one value as it is, or all of them by the name of the attribute. Of no values the sum is 0,
 * and there is no average, least or greatest: null.
 */
export function compileCompute(plan: ComputePlan): ComputeWriter {
  const { under, computed, statement } = plan;
  const write = compileComputation(plan, statement.readers);
  if (under === null) {
    const [only] = computed;
    if (only === undefined) throw new Error('nothing is computed');
    return (row) => write(only, row);
  }
  const name = JSON.stringify(under);
  const { numbers, count } = plan.columns;
  const numbersIn = compileCount(numbers ?? count, statement.readers);
  const valuesIn = compileCount(count, statement.readers);
  return (row) => {
    // Of a property that holds texts alone, what is computed of texts is answered.
    const isNumeric = numbers === null || numbersIn(row) > 0n || valuesIn(row) === 0n;
    const fields = (isNumeric ? computed : computed.filter((one) => OF_TEXTS.has(one))).map(
      (one) => `${JSON.stringify(one)}:${write(one, row)}`,
    );
    return `{${name}:{${fields.join(',')}}}`;
  };
}

/** Reads a column that counts. */
function compileCount(column: number, readers: readonly Reader[]): (row: Row | null) => bigint {
  const reader = readers[column];
  if (reader === undefined) throw new Error(`result column ${column} has no reader`);
  return (row) => {
    const wire = row?.[column] ?? null;
    return wire === null ? 0n : BigInt(reader.text(wire));
  };
}

function compileComputation(
  plan: ComputePlan,
  readers: readonly Reader[],
): (computation: Computation, row: Row | null) => string {
  const { columns } = plan;
  const isProperty = columns.numbers !== null;
  const count = compileCount(columns.count, readers);
  const numbers = compileCount(columns.numbers ?? columns.count, readers);
  const value = (
    column: number | null,
    isNumber: boolean,
  ): ((row: Row | null) => string | null) => {
    const reader = column === null ? undefined : readers[column];
    if (column === null || reader === undefined) return () => null;
    // The numbers of JSON have no column that says how many digits are theirs.
    const write =
      isProperty && isNumber
        ? (wire: unknown) => reader.json(withoutLastZeros(reader.text(wire)))
        : valueWriter(reader, plan.attribute);
    return (row) => {
      const wire = row?.[column] ?? null;
      return wire === null ? null : write(wire);
    };
  };
  const extremes = {
    min: [value(columns.min, true), value(columns.textMin, false)],
    max: [value(columns.max, true), value(columns.textMax, false)],
  } as const;
  const sum = value(columns.sum, true);
  const average = compileAverage(plan, readers);
  return (computation, row) => {
    switch (computation) {
      case 'count':
        return count(row).toString();
      case 'sum':
        return sum(row) ?? '0';
      case 'average':
        return average(row, numbers(row));
      case 'min':
      case 'max': {
        const [number, text] = extremes[computation];
        return number(row) ?? text(row) ?? 'null';
      }
    }
  };
}

function compileAverage(
  { columns: { sum }, isFloat }: ComputePlan,
  readers: readonly Reader[],
): (row: Row | null, count: bigint) => string {
  const reader = sum === null ? undefined : readers[sum];
  if (sum === null || reader === undefined) return () => 'null';
  return (row, count) => {
    const wire = row?.[sum] ?? null;
    if (wire === null || count === 0n) return 'null';
    const text = reader.text(wire);
    return reader.json(isFloat ? String(Number(text) / Number(count)) : exactAverage(text, count));
  };
}

/** Writes distinct values as the JSON text of the answer. */
export type DistinctWriter = (rows: readonly Row[]) => string;

/** Compiles the writer of a printed question for distinct values (§4.11): an array. */
export function compileDistinct({
  statement,
  isProperty,
  attribute,
}: DistinctPlan): DistinctWriter {
  const writers = statement.readers.map((reader, column) => {
    const { type } = statement.query.columns[column] ?? {};
    return isProperty && type?.kind === 'decimal'
      ? (value: unknown) => reader.json(withoutLastZeros(reader.text(value)))
      : valueWriter(reader, attribute);
  });
  const written = (row: Row): string => {
    const column = row.findIndex((value) => value !== null && value !== undefined);
    return writers[column]?.(row[column]) ?? 'null';
  };
  return (rows) => `[${rows.map(written).join(',')}]`;
}
