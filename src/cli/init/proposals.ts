import type { Column, Table } from '../../schema/types.ts';
import { isLastChange, isVersion } from './bookkeeping.ts';
import type { Rules } from './rules.ts';

/** A column that many tables have, and the option of `init` that would make something of it. */
export interface Proposal {
  readonly column: string;
  readonly option: '--timestamp-column' | '--stamp-column';
  /** How many tables have it. */
  readonly tables: number;
}

/** A column of fewer tables is one of these tables, not one of the house. */
const MANY = 3;

/**
 * The columns that look like the time of the last change, or like a version, in many tables, and that no rule names. Only people
 * know whether every program sets them, so that they are proposed and not taken.
 */
export function proposals(
  tables: readonly Table[],
  { stampColumns, timestampColumns }: Rules,
  fold: (name: string) => string,
): Proposal[] {
  const named = new Set([...stampColumns, ...timestampColumns].map(fold));
  const found = new Map<string, Proposal>();
  for (const column of tables
    .filter(({ kind }) => kind === 'table')
    .flatMap((table) => table.columns)) {
    const option = optionFor(column);
    if (option === null || named.has(fold(column.name))) continue;
    const key = `${option} ${fold(column.name)}`;
    const { tables: before } = found.get(key) ?? { tables: 0 };
    found.set(key, { column: column.name, option, tables: before + 1 });
  }
  return [...found.values()]
    .filter(({ tables: count }) => count >= MANY)
    .toSorted((a, b) => b.tables - a.tables || (a.column < b.column ? -1 : 1));
}

function optionFor(column: Column): Proposal['option'] | null {
  if (isLastChange(column)) return '--timestamp-column';
  return isVersion(column) ? '--stamp-column' : null;
}
