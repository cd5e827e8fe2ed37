import type { MappingFile } from '../config/mapping.ts';
import { qualifiedName, type Column, type ColumnType, type Table } from '../schema/types.ts';
import { ColumnFinder, plainAttribute, readAttributes, type ReadAttribute } from './attributes.ts';
import type { ModelReport, ModelSettings } from './build.ts';
import { attributeName, freeName } from './naming.ts';
import { readRestriction } from './restriction.ts';
import type { Dataclass, Member, Stamp, StorageAttribute } from './types.ts';

/** A dataclass whose relations are still to come. */
export interface DataclassDraft {
  readonly source: MappingFile;
  readonly dataclass: Dataclass;
  /** The same map as `dataclass.members`, open for writing while the model is built. */
  readonly members: Map<string, Member>;
}

/**
 * Builds a dataclass without its relations. Where its file is wrong the report says so, and what is right of it is built all
 * the same: other files may refer to it.
 */
export function buildDataclass(
  source: MappingFile,
  table: Table,
  name: string,
  number: number,
  settings: ModelSettings,
  report: ModelReport,
): DataclassDraft {
  const { mapping } = source;
  const finder = new ColumnFinder(source, table, report);
  const attributes = readAttributes(source, table, settings, finder, report);
  const key = readKey(source, table, attributes, settings, finder, report);
  const stamp = readStamp(source, table, finder, report) ?? derivedStamp(table);
  const timestamp =
    mapping.timestamp === undefined ? null : finder.find(mapping.timestamp, ['timestamp']);
  if (timestamp !== null && timestamp.type.kind !== 'timestamp' && timestamp.type.kind !== 'date') {
    report.problem(source, ['timestamp'], `column ${timestamp.name} holds no date`);
  }
  const kept = keptByTheGateway(stamp, timestamp);
  const members = new Map<string, Member>(
    attributes
      .filter(({ exposed }) => exposed)
      .map(({ attribute }) => [
        attribute.name,
        kept.has(attribute.column.name) ? { ...attribute, readOnly: true } : attribute,
      ]),
  );
  return {
    source,
    members,
    dataclass: {
      name,
      collection: mapping.collection ?? `${name}Selection`,
      table,
      number,
      key,
      stamp,
      timestamp,
      readOnly: settings.readOnly || (mapping.readOnly ?? false),
      requireStamp: mapping.requireStamp ?? settings.requireStamp,
      where: readRestriction(source, name, attributes, settings, report),
      members,
    },
  };
}

/** The columns that every save of the gateway sets: the stamp's counter and the timestamp. */
function keptByTheGateway(stamp: Stamp, timestamp: Column | null): ReadonlySet<string> {
  const counter = stamp.kind === 'counter' ? [stamp.column.name] : [];
  return new Set(timestamp === null ? counter : [...counter, timestamp.name]);
}

/** Column types whose values cannot stand in a key: they cannot be written in a URL or compared exactly. */
const NO_KEY: ReadonlySet<ColumnType['kind']> = new Set(['binary', 'json']);

/** The declared key, else the primary key, else the narrowest unique index without nulls, else none. */
function readKey(
  source: MappingFile,
  table: Table,
  attributes: readonly ReadAttribute[],
  settings: ModelSettings,
  finder: ColumnFinder,
  report: ModelReport,
): StorageAttribute[] {
  const names = source.mapping.key ?? inferredKey(table);
  const taken = new Set(attributes.map(({ attribute }) => attribute.name));
  const key: StorageAttribute[] = [];
  for (const [index, columnName] of names.entries()) {
    const place = ['key', String(index)];
    const found = finder.find(columnName, place);
    if (found === null) continue;
    if (key.some(({ column }) => column.name === found.name)) {
      report.problem(source, place, `column ${found.name} stands in the key twice`);
      continue;
    }
    if (NO_KEY.has(found.type.kind)) {
      report.warning(
        source,
        ['key'],
        `column ${found.name} of type ${found.type.native} cannot be part of a key; entities of ${qualifiedName(table)} are read by filter only`,
      );
      return [];
    }
    const mapped = attributes.find(({ attribute }) => attribute.column.name === found.name);
    // A declared key has no nulls, whatever the engine says of a view's columns.
    const column = { ...found, nullable: false };
    const name = freeName(attributeName(column.name), taken);
    if (mapped === undefined) taken.add(name);
    key.push(
      mapped === undefined
        ? plainAttribute(name, column, table, settings)
        : { ...mapped.attribute, column },
    );
  }
  return key;
}

function inferredKey(table: Table): readonly string[] {
  const isFit = (name: string): boolean =>
    table.columns.some((column) => column.name === name && !NO_KEY.has(column.type.kind));
  const isFilled = (name: string): boolean =>
    table.columns.some((column) => column.name === name && !column.nullable);
  if (table.primaryKey.length > 0 && table.primaryKey.every(isFit)) return table.primaryKey;
  const candidates = table.indexes.filter(
    ({ unique, columns }) =>
      unique && columns.length > 0 && columns.every((name) => isFit(name) && isFilled(name)),
  );
  const narrowest = candidates.toSorted((a, b) => a.columns.length - b.columns.length)[0];
  return narrowest?.columns ?? table.primaryKey;
}

function readStamp(
  source: MappingFile,
  table: Table,
  finder: ColumnFinder,
  report: ModelReport,
): Stamp | null {
  const setting = source.mapping.stamp;
  if (setting === undefined) return derivedStamp(table);
  if (setting === 'hash') return { kind: 'hash', columns: table.columns };
  if (setting === 'xmin') {
    if (table.rowVersion?.kind === 'xmin') return { kind: 'xmin' };
    report.problem(source, ['stamp'], `${qualifiedName(table)} has no xmin; use hash or a counter`);
    return null;
  }
  if ('counter' in setting) {
    const column = finder.find(setting.counter, ['stamp', 'counter']);
    if (column === null) return null;
    if (column.type.kind === 'integer') return { kind: 'counter', column };
    report.problem(source, ['stamp', 'counter'], `column ${column.name} is no integer`);
    return null;
  }
  const column = finder.find(setting.rowversion, ['stamp', 'rowversion']);
  if (column === null) return null;
  const { rowVersion } = table;
  if (rowVersion?.kind === 'column' && rowVersion.name === column.name) {
    return { kind: 'rowversion', column };
  }
  report.problem(
    source,
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
