import { createHash } from 'node:crypto';
import { withoutPadding } from '../../base/text.ts';

/**
 * How long a name may be: `sp_getapplock` cuts what is longer, so that different names would be one
 * (https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-getapplock-transact-sql).
 */
const LONGEST = 255;

/**
 * The name by which the database knows the lock of a row, the same in all instances, and for programs that take part (docs/locks.md):
 * `entitygate:HR.TBL_EMP:126`, of a key of several parts `entitygate:SALES.ORD_LN:7;2`. One that would be too long is known by its hash.
 * @param key the row's own, as canonical texts
 */
export function lockName(
  table: { readonly schema: string; readonly name: string },
  key: readonly string[],
): string {
  const parts = key.map((part) => withoutPadding(part));
  const [only = '', ...more] = parts;
  const text = more.length === 0 ? only : parts.map(escaped).join(';');
  const name = `entitygate:${table.schema}.${table.name}:${text}`;
  return name.length <= LONGEST ? name : `entitygate:#${hash(name)}`;
}

/** A part of a key in which no semicolon stands for the end of the part. */
function escaped(part: string): string {
  return part.replaceAll('%', '%25').replaceAll(';', '%3B');
}

function hash(name: string): string {
  return createHash('sha256').update(name).digest('hex');
}
