import { StartupError, type StartupProblem } from '../base/errors.ts';
import type { MappingFile } from '../config/mapping.ts';
import { buildModel, type ModelSettings } from '../model/build.ts';
import type { RestrictionCheck } from '../model/types.ts';
import { NameIndex } from '../model/name-index.ts';
import { inStableOrder, tablesByName } from '../schema/snapshot.ts';
import { qualifiedName, type Column, type PhysicalSchema, type Table } from '../schema/types.ts';
import { uniqueColumns } from './attributes.ts';
import { mentionedColumns, mentionsForeignKey } from './mentions.ts';

/** How mapping files and a live schema differ. */
export interface Drift {
  /** What keeps the gateway from starting, or its clients from what they had. */
  readonly errors: readonly StartupProblem[];
  /** What changed without breaking anything, and what no file names. */
  readonly notes: readonly string[];
}

/**
 * Compares mapping files with the schema they are for. With the snapshot of an earlier `init`, what was left out of the files
 * then is no news, and types and keys are compared, too.
 */
export function findDrift(
  files: readonly MappingFile[],
  schema: PhysicalSchema,
  prior: PhysicalSchema | null,
  settings: ModelSettings,
  checkRestriction?: RestrictionCheck,
): Drift {
  const errors: StartupProblem[] = [];
  const notes: string[] = [];
  try {
    notes.push(...buildModel(files, schema, settings, checkRestriction).warnings);
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    errors.push(...error.problems);
  }
  const index = new NameIndex(schema);
  const sources = new Map<Table, MappingFile>();
  for (const file of files) {
    const table = index.mapped(file.mapping);
    if (table !== undefined && !sources.has(table)) sources.set(table, file);
  }
  const before = prior === null ? null : tablesByName(prior);
  const chosen = prior === null ? null : new Set(prior.tables.map(({ schema: name }) => name));
  for (const table of inStableOrder(schema).tables) {
    const source = sources.get(index.table(table.schema, table.name) ?? table);
    const known = before?.get(qualifiedName(table));
    if (source !== undefined) {
      if (known !== undefined) compare(source, table, known, errors, notes);
      notes.push(...unnamed(source, table, known, index));
    } else if (known === undefined && chosen?.has(table.schema) !== false) {
      notes.push(`${qualifiedName(table)}: no mapping file names this ${table.kind}`);
    }
  }
  return { errors, notes };
}

/** What changed in a table since the snapshot. */
function compare(
  { mapping, file }: MappingFile,
  table: Table,
  known: Table,
  errors: StartupProblem[],
  notes: string[],
): void {
  const name = qualifiedName(table);
  if (mapping.key === undefined && keyOf(known).length > 0 && keyOf(table).length === 0) {
    errors.push({
      where: file.locate([table.kind]),
      message:
        `${name} had the key ${keyOf(known).join(', ')} and has none any more: ` +
        'its entities can no longer be addressed one by one',
    });
  }
  const types = new Map(known.columns.map((column) => [column.name, typeText(column)]));
  for (const column of table.columns) {
    const was = types.get(column.name);
    const is = typeText(column);
    if (was !== undefined && was !== is) {
      notes.push(`${name}: column ${column.name} was ${was} and is ${is}`);
    }
  }
}

function keyOf(table: Table): readonly string[] {
  return table.primaryKey.length > 0 ? table.primaryKey : uniqueColumns(table);
}

function typeText({ type }: Column): string {
  const { native } = type;
  if (native.includes('(')) return native;
  if (type.kind === 'text' && type.maxLength !== null) return `${native}(${type.maxLength})`;
  if (type.kind === 'decimal' && type.precision !== null) {
    return `${native}(${type.precision},${type.scale ?? 0})`;
  }
  return native;
}

/** What of a mapped table its file does not name, and the snapshot does not know. */
function unnamed(
  source: MappingFile,
  table: Table,
  known: Table | undefined,
  { fold }: NameIndex,
): string[] {
  const { path } = source.file;
  const mentioned = mentionedColumns(source, table, fold);
  const columns = table.columns.filter(
    ({ name }) =>
      mentioned?.has(fold(name)) === false &&
      known?.columns.some((column) => column.name === name) !== true,
  );
  const foreignKeys = table.foreignKeys.filter(
    (foreignKey) =>
      !mentionsForeignKey(source, foreignKey, fold) &&
      known?.foreignKeys.some(({ name }) => name === foreignKey.name) !== true,
  );
  return [
    ...columns.map(({ name }) => `${qualifiedName(table)}: ${path} does not name column ${name}`),
    ...foreignKeys.map(
      ({ name }) => `${qualifiedName(table)}: ${path} does not name foreign key ${name}`,
    ),
  ];
}
