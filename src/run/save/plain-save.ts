import { isEngineStamp } from '../../model/types.ts';
import { neededFor } from '../../plan/write/rights.ts';
import type { SavePlan } from '../../plan/write/save.ts';
import type { ColumnType } from '../../schema/types.ts';
import { restrictedColumns } from './nested/restricted-references.ts';

/** Types of keys whose values have one text, whatever a client writes. */
const KEYS: ReadonlySet<ColumnType['kind']> = new Set(['integer', 'uuid']);

/**
 * Whether all that saves of a shape do besides changing rows is to read these again, and their rows can be found, locked and told apart by one
 * statement.
 */
export function isPlainSave({ dataclass, method, target, answer, replaced }: SavePlan): boolean {
  const { table, key, stamp } = dataclass;
  return (
    method === 'update' &&
    (target?.unique ?? null) === null &&
    answer.related === null &&
    replaced.size === 0 &&
    answer.inside === null &&
    neededFor(dataclass, 'update') === null &&
    restrictedColumns(dataclass).length === 0 &&
    isEngineStamp(stamp) &&
    table.kind === 'table' &&
    table.instead === undefined &&
    table.unlockable === undefined &&
    table.updatesMore === undefined &&
    key.length > 0 &&
    key.every(({ column, columnType }) => KEYS.has(column.type.kind) && columnType === column.type)
  );
}
