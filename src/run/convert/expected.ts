import type { ColumnType } from '../../schema/types.ts';

/** What is expected of a value that only the database can read, as messages say it. */
export function expectedOf(type: ColumnType): string {
  if (type.kind === 'opaque' && type.values !== undefined)
    return `one of ${type.values.join(', ')}`;
  return `${/^[aeioux]/i.test(type.native) ? 'an' : 'a'} ${type.native}`;
}
