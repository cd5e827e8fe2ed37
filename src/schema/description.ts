import type { Table } from './types.ts';

/** Returns the description of a table or column for its place in the schema: nothing where the catalog has none, or only blanks. */
export function describedBy(text: string | null | undefined): Pick<Table, 'description'> {
  const description = text?.trim() ?? '';
  return description === '' ? {} : { description };
}
