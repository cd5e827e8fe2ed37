import { rowHash } from '../base/row-hash.ts';
import { qualifiedName, type Column, type Table } from '../schema/types.ts';
import type { MappingContext } from './mapping-context.ts';
import type { Stamp, StorageAttribute } from './types.ts';

/** The declared stamp, else the engine's, else a hash, with the `key`, as rows may differ in hidden columns only; none where nobody writes. */
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
  const { rowVersion } = table;
  const setting = mapping.stamp;
  if (setting === undefined) return null;
  if (setting === 'none') return { kind: 'none' };
  if (setting === 'hash') return hashStamp(hashedColumns(table), context);
  if (setting === 'xmin') {
    if (rowVersion?.kind === 'xmin') return { kind: 'xmin' };
    const message = `${qualifiedName(table)} has no xmin that the login may read, which takes the right to the whole table; use hash or a counter`;
    return context.problem(['stamp'], message);
  }
  if ('hash' in setting) {
    const columns = setting.hash.map((name, index) =>
      context.column(name, ['stamp', 'hash', String(index)]),
    );
    const known = columns.filter((column) => column !== null);
    return hashStamp(known, context);
  }
  if ('counter' in setting) {
    const path = ['stamp', 'counter'];
    const column = context.column(setting.counter, path);
    if (column === null) return null;
    if (column.type.kind === 'integer') return { kind: 'counter', column };
    return context.problem(path, `column ${column.name} is not an integer`);
  }
  const path = ['stamp', 'rowversion'];
  const column = context.column(setting.rowversion, path);
  if (column === null) return null;
  if (rowVersion?.kind === 'column' && rowVersion.name === column.name) {
    return { kind: 'rowversion', column };
  }
  const message = `column ${column.name} is not a rowversion; use "counter" for a number that programs count up`;
  return context.problem(path, message);
}

function derivedStamp(context: MappingContext, readOnly: boolean): Stamp {
  const { table } = context;
  const { rowVersion } = table;
  if (rowVersion?.kind === 'xmin') return { kind: 'xmin' };
  const column = table.columns.find(({ name }) => name === rowVersion?.name);
  if (column !== undefined) return { kind: 'rowversion', column };
  return readOnly ? { kind: 'none' } : hashStamp(hashedColumns(table), context);
}

/** The default columns of a hash: no computed values, which may change by themselves, and no large ones, which would be fetched for it alone. */
export function hashedColumns({ columns }: Table): Column[] {
  // Bytes in keys are short, whatever their type allows.
  return columns.filter(
    ({ computed, large, type }) => !computed && (large !== true || type.kind === 'hex'),
  );
}

function hashStamp(
  columns: readonly Column[],
  { settings: { stampKey }, table }: MappingContext,
): Stamp {
  const hash = rowHash(stampKey?.() ?? '', qualifiedName(table));
  return { kind: 'hash', columns, hash };
}
