import { keyedHash } from '../base/hashes.ts';
import { qualifiedName, type Column, type Table } from '../schema/types.ts';
import type { MappingContext } from './mapping-context.ts';
import type { RowHash, Stamp, StorageAttribute } from './types.ts';

/**
 * The stamp that the mapping file declares, else, or where that cannot be had, what the engine gives, else a hash; nothing where
 * nobody writes.
 * @param key the attributes of the key, which a hash is made of besides: rows that hold the same in hidden columns would else have the same stamp
 * @param readOnly whether entities are neither created, updated nor deleted
 */
export function readStamp(
  context: MappingContext,
  key: readonly StorageAttribute[],
  readOnly: boolean,
): Stamp {
  const stamp = declaredStamp(context) ?? derivedStamp(context, readOnly);
  return stamp.kind === 'hash' ? { ...stamp, columns: withKey(stamp.columns, key) } : stamp;
}

function withKey(columns: readonly Column[], key: readonly StorageAttribute[]): Column[] {
  const names = new Set(columns.map(({ name }) => name));
  return [...key.map(({ column }) => column).filter(({ name }) => !names.has(name)), ...columns];
}

function declaredStamp(context: MappingContext): Stamp | null {
  const { mapping, table } = context;
  const setting = mapping.stamp;
  if (setting === undefined) return null;
  if (setting === 'none') return { kind: 'none' };
  if (setting === 'hash') return hashStamp(hashedColumns(table), context);
  if (setting === 'xmin') {
    if (table.rowVersion?.kind === 'xmin') return { kind: 'xmin' };
    context.problem(
      ['stamp'],
      `${qualifiedName(table)} has no xmin that the login may read, which takes the right to the whole table; use hash or a counter`,
    );
    return null;
  }
  if ('hash' in setting) {
    const columns = setting.hash.map((name, index) =>
      context.column(name, ['stamp', 'hash', String(index)]),
    );
    return hashStamp(
      columns.filter((column) => column !== null),
      context,
    );
  }
  if ('counter' in setting) {
    const column = context.column(setting.counter, ['stamp', 'counter']);
    if (column === null) return null;
    if (column.type.kind === 'integer') return { kind: 'counter', column };
    context.problem(['stamp', 'counter'], `column ${column.name} is not an integer`);
    return null;
  }
  const column = context.column(setting.rowversion, ['stamp', 'rowversion']);
  if (column === null) return null;
  const { rowVersion } = table;
  if (rowVersion?.kind === 'column' && rowVersion.name === column.name) {
    return { kind: 'rowversion', column };
  }
  context.problem(
    ['stamp', 'rowversion'],
    `column ${column.name} is not a rowversion; use "counter" for a number that programs count up`,
  );
  return null;
}

function derivedStamp(context: MappingContext, readOnly: boolean): Stamp {
  const { table } = context;
  const { rowVersion } = table;
  if (rowVersion?.kind === 'xmin') return { kind: 'xmin' };
  const column = table.columns.find(({ name }) => name === rowVersion?.name);
  if (column !== undefined) return { kind: 'rowversion', column };
  return readOnly ? { kind: 'none' } : hashStamp(hashedColumns(table), context);
}

/**
 * The columns that a hash is made of where a mapping file names none. What the database computes may change by itself, as an age
 * does, and would be taken for a change of somebody's; large values would be fetched with each entity for the hash alone.
 */
export function hashedColumns({ columns }: Table): Column[] {
  // Bytes that stand in keys are short, whatever their type allows.
  return columns.filter(
    ({ computed, large, type }) => !computed && (large !== true || type.kind === 'hex'),
  );
}

function hashStamp(
  columns: readonly Column[],
  { settings: { stampKey }, table }: MappingContext,
): Stamp {
  return { kind: 'hash', columns, hash: rowHash(stampKey?.() ?? '', qualifiedName(table)) };
}

/** @param table its name: equal rows of two tables have different stamps */
function rowHash(key: string, table: string): RowHash {
  const hash = keyedHash(key);
  const name = measured(table);
  return (cells) => {
    let text = name;
    for (const cell of cells) text += cell === null ? '-' : measured(cell);
    return hash(text);
  };
}

/** With its length before it, so that what stands in two cells cannot be taken for what stands in one. */
function measured(text: string): string {
  return `${text.length}:${text}`;
}
