import type { Column } from '../../schema/types.ts';

/** Words of columns that programs and triggers fill in for every row, run together: `created_at`, `ModifiedDate`, `last_update`. */
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

/** Whether a column tells of its row and of nothing that the row is about: who made it and when, its version, its place. */
export function isBookkeeping(column: Column): boolean {
  const name = joined(column);
  if (column.type.kind === 'integer' && ORDER.test(name)) return true;
  return [LAST_CHANGE, FIRST, VERSION, ROW_ID, BARE, TENANT].some((pattern) => pattern.test(name));
}

/** Whether a column holds who made its row or changed it: `created_by`, `UPD_USR_ID`. */
export function isAuthor(column: Column): boolean {
  const name = joined(column);
  return /by|user|usr/.test(name) && [LAST_CHANGE, FIRST].some((pattern) => pattern.test(name));
}

/** Whether a column holds whose of several tenants its row is. */
export function isTenant(column: Column): boolean {
  return TENANT.test(joined(column));
}

/** Whether a column holds, by name and type, the time of the last change. */
export function isLastChange(column: Column): boolean {
  return column.type.kind === 'timestamp' && LAST_CHANGE.test(joined(column));
}

/** Whether a column holds, by name and type, a number that is raised with every change. */
export function isVersion(column: Column): boolean {
  return column.type.kind === 'integer' && VERSION.test(joined(column));
}

function joined({ name }: Column): string {
  return name.replace(/[^A-Za-z0-9]/g, '').toLowerCase();
}
