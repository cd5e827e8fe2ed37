import { wordsOf } from '../../base/words.ts';
import type { Column, ColumnType, Table } from '../../schema/types.ts';
import {
  OPENERS,
  PERSONAL,
  PERSONAL_WORDS,
  SECRET_ANYWHERE,
  SECRET_TEXT,
  SECRET_WORDS,
  SESSION,
} from './secret-names.ts';

/** What a password, a key or a code is held in. */
const TEXTS: ReadonlySet<ColumnType['kind']> = new Set([
  'text',
  'binary',
  'json',
  'uuid',
  'opaque',
]);

/**
 * Whether a column is to be there for the gateway and kept from clients: its own name, that of its table, or that of the
 * column that it refers to and whose values it holds, says so.
 */
export function isWithheld(column: Column, table: Table): boolean {
  const { kind } = column.type;
  const places = [{ table: table.name, name: column.name }, ...referredBy(column, table)];
  if (places.some(({ name }) => soundsSecret(name))) return true;
  if (!TEXTS.has(kind)) return false;
  if (places.some(({ name }) => isLike(name, [...OPENERS, ...SECRET_TEXT]))) return true;
  if (kind !== 'text' && kind !== 'binary') return false;
  return (
    places.some((place) => isLike(`${place.table}_${place.name}`, [SESSION])) ||
    (!isReference(column, table) && holdsSecrets(table))
  );
}

/** Whether somebody should look at a column before clients do. */
export function isPersonal(column: Column, table: Table): boolean {
  const { name } = column;
  const sounds = PERSONAL.test(joined(name)) || isLike(name, [PERSONAL_WORDS]);
  return sounds && !isReference(column, table);
}

/** Whether a column takes part in the key or in a foreign key. */
function isReference({ name }: Column, { primaryKey, foreignKeys }: Table): boolean {
  return primaryKey.includes(name) || foreignKeys.some(({ columns }) => columns.includes(name));
}

/** The columns that foreign keys over a column lead to, and their tables. */
function referredBy(
  { name }: Column,
  { foreignKeys }: Table,
): { readonly table: string; readonly name: string }[] {
  return foreignKeys.flatMap(({ columns, targetTable, targetColumns }) =>
    targetColumns
      .filter((_, index) => columns[index] === name)
      .map((target) => ({ table: targetTable, name: target })),
  );
}

function holdsSecrets({ name }: Table): boolean {
  return soundsSecret(name) || isLike(name, OPENERS);
}

function soundsSecret(name: string): boolean {
  return SECRET_ANYWHERE.test(joined(name)) || isLike(name, SECRET_WORDS);
}

/** Whether a name matches with its words parted by underscores, a change of case being such a place or not. */
function isLike(name: string, patterns: readonly RegExp[]): boolean {
  return [wordsOf(name), wordsOf(name, false)].some((words) => {
    const parted = `_${words.join('_')}_`.toLowerCase();
    return patterns.some((pattern) => pattern.test(parted));
  });
}

/** A name without what parts its words: `national_id_number` is looked at as `nationalidnumber`. */
function joined(name: string): string {
  return wordsOf(name).join('').toLowerCase();
}
