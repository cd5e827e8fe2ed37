import { hashedColumns } from '../../model/stamp.ts';
import { qualifiedName } from '../../schema/types.ts';
import type { Draft } from './draft.ts';

/** How many of the columns are named that a stamp does not see. */
const MOST_NAMES = 5;

/**
 * What each new stamp costs that is a hash where entities are written: its columns are fetched with every entity; and what it does not see. Of a table of SQL Server
 * also the rowversion that would spare it (https://learn.microsoft.com/sql/t-sql/data-types/rowversion-transact-sql).
 */
export function hashStamps(
  created: readonly Draft[],
  dialect: 'postgres' | 'tsql' | null,
): string[] {
  return created
    .filter(({ head }) => head['stamp'] === undefined)
    .map(({ dataclass, table }) => {
      const hashed = hashedColumns(table);
      const unseen = table.columns.filter((column) => !hashed.includes(column));
      const names = unseen.slice(0, MOST_NAMES).map(({ name }) => name);
      const more = unseen.length > names.length ? ' and others' : '';
      const name = qualifiedName(table);
      return (
        `${dataclass}: ${hashed.length === 1 ? '1 column' : `${hashed.length} columns`} of ${name}` +
        (unseen.length === 0 ? '' : `, without ${names.join(', ')}${more}`) +
        (dialect === 'tsql' && table.kind === 'table'
          ? `; ALTER TABLE ${name} ADD ROW_VER rowversion and "stamp: { rowversion: ROW_VER }" would spare it`
          : '')
      );
    });
}
