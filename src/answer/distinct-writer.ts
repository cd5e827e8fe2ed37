import type { Row } from '../database/database.ts';
import type { PrintedValues } from '../run/read/print-values.ts';
import type { DistinctPlan } from '../plan/read/distinct.ts';
import { withoutLastZeros } from '../run/convert/average.ts';
import { valueWriter } from './value-writer.ts';

/** Writes distinct values as the JSON text of the answer. */
export type DistinctWriter = (rows: readonly Row[]) => string;

/** Compiles the writer of a printed question for distinct values (§4.11): an array. */
export function compileDistinct({ plan, statement }: PrintedValues<DistinctPlan>): DistinctWriter {
  const writers = statement.readers.map((reader, column) => {
    const { type } = plan.query.columns[column] ?? {};
    return plan.isProperty && type?.kind === 'decimal'
      ? (value: unknown) => reader.json(withoutLastZeros(reader.text(value)))
      : valueWriter(reader, plan.attribute);
  });
  const written = (row: Row): string => {
    const column = row.findIndex((value) => value !== null && value !== undefined);
    return writers[column]?.(row[column]) ?? 'null';
  };
  return (rows) => `[${rows.map(written).join(',')}]`;
}
