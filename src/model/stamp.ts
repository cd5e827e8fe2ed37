import { qualifiedName, type Table } from '../schema/types.ts';
import type { MappingContext } from './mapping-context.ts';
import type { Stamp } from './types.ts';

/** The stamp that the mapping file declares, else, or where that cannot be had, what the engine or a hash gives. */
export function readStamp(context: MappingContext): Stamp {
  return declaredStamp(context) ?? derivedStamp(context.table);
}

function declaredStamp(context: MappingContext): Stamp | null {
  const { mapping, table } = context;
  const setting = mapping.stamp;
  if (setting === undefined) return null;
  if (setting === 'hash') return { kind: 'hash', columns: table.columns };
  if (setting === 'xmin') {
    if (table.rowVersion?.kind === 'xmin') return { kind: 'xmin' };
    context.problem(['stamp'], `${qualifiedName(table)} has no xmin; use hash or a counter`);
    return null;
  }
  if ('counter' in setting) {
    const column = context.column(setting.counter, ['stamp', 'counter']);
    if (column === null) return null;
    if (column.type.kind === 'integer') return { kind: 'counter', column };
    context.problem(['stamp', 'counter'], `column ${column.name} is no integer`);
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
    `column ${column.name} is no rowversion; use "counter" for a number that programs count up`,
  );
  return null;
}

function derivedStamp(table: Table): Stamp {
  const { rowVersion } = table;
  if (rowVersion?.kind === 'xmin') return { kind: 'xmin' };
  const column = table.columns.find(({ name }) => name === rowVersion?.name);
  return column === undefined
    ? { kind: 'hash', columns: table.columns }
    : { kind: 'rowversion', column };
}
