import { DatabaseRefusal, type ViolatedRule } from '../../../database/errors.ts';
import type { ColumnType } from '../../../schema/types.ts';
import type { ColumnValue } from '../../convert/types.ts';
import type { StatementSource } from '../../run.ts';
import type { Attempt } from '../../write/attempt.ts';

/** Types whose values the database reads, by rules that the gateway does not know. */
const READ_BY_DATABASE: ReadonlySet<ColumnType['kind']> = new Set(['opaque', 'json']);

/** Rules that tell what is wrong with a value, but not with which. */
const OF_VALUES: readonly ViolatedRule[] = ['badValue', 'tooLong', 'outOfRange'];

/** Rules that a type may refuse a value by. */
const UNCLEAR: readonly ViolatedRule[] = [...OF_VALUES, 'failed', 'other'];

/** The columns whose types may have refused a row; empty where the refusal tells the column, or is about no value. */
export function doubtfulColumns(
  { violation: { rule, names, ofStatement = false } }: DatabaseRefusal,
  columns: readonly ColumnValue[],
): readonly ColumnValue[] {
  if (ofStatement || names.length > 0 || !UNCLEAR.includes(rule)) return [];
  const doubtful = columns.filter(
    ({ column: { type }, value }) => READ_BY_DATABASE.has(type.kind) && value !== null,
  );
  return rule === 'badValue' && doubtful.length === 1 ? [] : doubtful;
}

/**
 * Asks the database which type refuses its value, by reading one after the other: types of extensions refuse values by any error. Returns the
 * refusal as it was where none does, and where the database refuses to read nothing as well.
 */
export async function withUnreadColumn(
  refusal: DatabaseRefusal,
  columns: readonly ColumnValue[],
  { dataclass, statements }: Attempt,
  source: StatementSource,
): Promise<DatabaseRefusal> {
  const refusedFor = async (some: readonly ColumnValue[]): Promise<DatabaseRefusal | null> => {
    const assigned = some.map(({ column, type }) => ({ column, type, from: 'cell' as const }));
    const statement = statements.trial(dataclass, assigned);
    if (statement === null) return null;
    try {
      await source.run(statement, { rows: [some.map(({ value }) => String(value))] });
      return null;
    } catch (error) {
      if (error instanceof DatabaseRefusal) return error;
      throw error;
    }
  };
  for (const value of columns) {
    const found = await refusedFor([value]);
    if (found === null) continue;
    if ((await refusedFor([])) !== null) break;
    const { rule } = found.violation;
    const told = OF_VALUES.includes(rule) ? rule : 'badValue';
    return new DatabaseRefusal({ rule: told, names: [value.column.name] }, found.message, found);
  }
  return refusal;
}
