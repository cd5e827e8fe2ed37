import { nameHint } from '../base/names.ts';
import type { MappingFile } from '../config/mapping.ts';
import { qualifiedName, type Column, type ColumnType, type Table } from '../schema/types.ts';
import { attributeType } from './attribute-type.ts';
import type { ModelReport, ModelSettings } from './build.ts';
import { attributeName, freeName } from './naming.ts';
import type { Dataclass, Member, Stamp, StorageAttribute } from './types.ts';

/** A dataclass whose relations are still to come. */
export interface DataclassDraft {
  readonly source: MappingFile;
  readonly dataclass: Dataclass;
  /** The same map as `dataclass.members`, open for writing while the model is built. */
  readonly members: Map<string, Member>;
}

/** Finds columns of one table by the names that its mapping file uses, and reports those that are not there. */
class ColumnFinder {
  readonly #source: MappingFile;
  readonly #table: Table;
  readonly #report: ModelReport;

  constructor(source: MappingFile, table: Table, report: ModelReport) {
    this.#source = source;
    this.#table = table;
    this.#report = report;
  }

  find(name: string, path: readonly string[]): Column | null {
    const column = this.#table.columns.find((candidate) => candidate.name === name);
    if (column !== undefined) return column;
    const known = this.#table.columns.map((candidate) => candidate.name);
    this.#report.problem(
      this.#source,
      path,
      `${qualifiedName(this.#table)} has no column ${name}.${nameHint(name, known)}`,
    );
    return null;
  }
}

/**
 * Builds a dataclass without its relations.
 * @returns null when the key or the stamp names columns that are not there; the report says so
 */
export function buildDataclass(
  source: MappingFile,
  table: Table,
  name: string,
  number: number,
  settings: ModelSettings,
  report: ModelReport,
): DataclassDraft | null {
  const { mapping } = source;
  const finder = new ColumnFinder(source, table, report);
  const attributes = readAttributes(source, table, settings, finder, report);
  const key = readKey(source, table, attributes, settings, finder, report);
  const stamp = readStamp(source, table, finder, report);
  const timestamp =
    mapping.timestamp === undefined ? null : finder.find(mapping.timestamp, ['timestamp']);
  if (timestamp !== null && timestamp.type.kind !== 'timestamp' && timestamp.type.kind !== 'date') {
    report.problem(source, ['timestamp'], `column ${timestamp.name} holds no date`);
  }
  if (key === null || stamp === null) return null;
  const members = new Map<string, Member>(
    attributes.filter(({ exposed }) => exposed).map(({ attribute }) => [attribute.name, attribute]),
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
      members,
    },
  };
}

interface ReadAttribute {
  readonly attribute: StorageAttribute;
  readonly exposed: boolean;
}

function readAttributes(
  source: MappingFile,
  table: Table,
  settings: ModelSettings,
  finder: ColumnFinder,
  report: ModelReport,
): ReadAttribute[] {
  const declared = source.mapping.attributes;
  if (declared === undefined) {
    const taken = new Set<string>();
    return table.columns.map((column) => {
      const name = freeName(attributeName(column.name), taken);
      taken.add(name);
      return { attribute: plainAttribute(name, column, table, settings), exposed: true };
    });
  }
  return Object.entries(declared).flatMap(([name, setting]): ReadAttribute[] => {
    const path = ['attributes', name];
    const details = typeof setting === 'string' ? { column: setting } : setting;
    const column = finder.find(
      details.column,
      typeof setting === 'string' ? path : [...path, 'column'],
    );
    if (column === null) return [];
    const options = typeof setting === 'string' ? null : setting;
    const type = attributeType(column.type, options?.type);
    if (typeof type === 'string') {
      report.problem(source, [...path, 'type'], type);
      return [];
    }
    return [
      {
        attribute: {
          ...plainAttribute(name, column, table, settings),
          ...type,
          trim: options?.trim ?? false,
          ignoreCase: options?.ignoreCase ?? settings.ignoreCase,
        },
        exposed: options?.exposed ?? true,
      },
    ];
  });
}

function plainAttribute(
  name: string,
  column: Column,
  table: Table,
  settings: ModelSettings,
): StorageAttribute {
  const type = attributeType(column.type, undefined);
  if (typeof type === 'string') throw new Error(type);
  return {
    kind: 'storage',
    name,
    column,
    ...type,
    trim: false,
    ignoreCase: settings.ignoreCase,
    unique: isUnique(table, [column.name]),
    indexed: table.indexes.some((index) => index.columns[0] === column.name),
  };
}

/** Whether no two rows of a table can have the same values in these columns. */
export function isUnique(table: Table, columns: readonly string[]): boolean {
  const covers = (unique: readonly string[]): boolean =>
    unique.length > 0 && unique.every((name) => columns.includes(name));
  return (
    covers(table.primaryKey) || table.indexes.some((index) => index.unique && covers(index.columns))
  );
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
): StorageAttribute[] | null {
  const names = source.mapping.key ?? inferredKey(table);
  const columns = names.map((name, index) => finder.find(name, ['key', String(index)]));
  if (columns.some((column) => column === null)) return null;
  const taken = new Set(attributes.map(({ attribute }) => attribute.name));
  const key: StorageAttribute[] = [];
  for (const found of columns) {
    if (found === null) continue;
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
    key.push(
      mapped === undefined
        ? plainAttribute(name, column, table, settings)
        : { ...mapped.attribute, column },
    );
  }
  return key;
}

function inferredKey(table: Table): readonly string[] {
  if (table.primaryKey.length > 0) return table.primaryKey;
  const nullable = new Set(
    table.columns.filter((column) => column.nullable).map(({ name }) => name),
  );
  const candidates = table.indexes.filter(
    (index) => index.unique && index.columns.every((name) => !nullable.has(name)),
  );
  return candidates.sort((a, b) => a.columns.length - b.columns.length)[0]?.columns ?? [];
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
  return column === null ? null : { kind: 'rowversion', column };
}

function derivedStamp(table: Table): Stamp {
  const { rowVersion } = table;
  if (rowVersion?.kind === 'xmin') return { kind: 'xmin' };
  const column = table.columns.find(({ name }) => name === rowVersion?.name);
  return column === undefined
    ? { kind: 'hash', columns: table.columns }
    : { kind: 'rowversion', column };
}
