import type { Column, Table } from '../../schema/types.ts';
import type { InitContext } from './context.ts';

/** Names of columns that programs and triggers fill in for every row, without separators: `created_at`, `ModifiedDate`, `last_update`. */
const MADE = '(?:creat(?:ed?|ion)|crt|insert(?:ed)?|add(?:ed)?)';
const CHANGED = '(?:updated?|upd|modified|modify|modification|mod|changed?|chg|chng)';
const BEFORE = '(?:row|rec|record|last|lst|date|time|dt)*';
const BEHIND = '(?:at|on|by|date|dt|time|tm|datetime|ts|timestamp|utc|user|usr|name|id)*';
const LAST_CHANGE = new RegExp(`^${BEFORE}${CHANGED}${BEHIND}$`);
const FIRST = new RegExp(`^${BEFORE}${MADE}${BEHIND}$`);
const VERSION =
  /^(?:row|rec|record|lock|opt|optimistic)?(?:version|ver|versn|vers)(?:no|nr|num|number)?$/;
const ROW_ID = /^(?:row|rec|record)(?:guid|uuid)$/;
const ORDER =
  /^(?:sort|display|list)?(?:order|seq|sequence|position|pos|rank|index|idx|ordinal)(?:no|nr|num|number)?$/;

const BARE = /^(?:ts|tstamp|timestamp|usr)$/;
const TENANT = /^(?:tenant|mandant|mandt)(?:id|no|nr|key)?$/;

/** Whether a column describes its row and not the row's subject: its author, time, version or position. */
export function isBookkeeping(column: Column): boolean {
  const name = joined(column);
  if (column.type.kind === 'integer' && ORDER.test(name)) return true;
  return [LAST_CHANGE, FIRST, VERSION, ROW_ID, BARE, TENANT].some((pattern) => pattern.test(name));
}

/** Whether a column holds who created or changed its row: `created_by`, `UPD_USR_ID`. */
export function isAuthor(column: Column): boolean {
  const name = joined(column);
  return /by|user|usr/.test(name) && [LAST_CHANGE, FIRST].some((pattern) => pattern.test(name));
}

/** Whether a column holds the tenant of its row. */
export function isTenant(column: Column): boolean {
  return TENANT.test(joined(column));
}

function joined({ name }: Column): string {
  return name.replace(/[^A-Za-z0-9]/g, '').toLowerCase();
}

/** A column of many tables, and the option of `init` that would use it. */
export interface Proposal {
  readonly column: string;
  readonly option: '--timestamp-column' | '--stamp-column';
  readonly tables: number;
}

/** How many tables share a column that is a convention of the database. */
const MANY = 3;

/** Finds columns of many tables that look like a time of change or a version. They are only proposed: people know whether every program sets them. */
export function proposals({ tables, rules, index: { fold } }: InitContext): Proposal[] {
  const named = new Set([...rules.stampColumns, ...rules.timestampColumns].map(fold));
  const found = new Map<string, Proposal>();
  const physical: readonly Table[] = tables.filter(({ kind }) => kind === 'table');
  for (const column of physical.flatMap(({ columns }) => columns)) {
    const option = optionFor(column);
    if (option === null || named.has(fold(column.name))) continue;
    const key = `${option} ${fold(column.name)}`;
    const before = found.get(key)?.tables ?? 0;
    found.set(key, { column: column.name, option, tables: before + 1 });
  }
  return [...found.values()]
    .filter(({ tables: count }) => count >= MANY)
    .toSorted((a, b) => b.tables - a.tables || (a.column < b.column ? -1 : 1));
}

function optionFor(column: Column): Proposal['option'] | null {
  const { kind } = column.type;
  if (kind === 'timestamp' && LAST_CHANGE.test(joined(column))) return '--timestamp-column';
  return kind === 'integer' && VERSION.test(joined(column)) ? '--stamp-column' : null;
}
