import { StartupError, type StartupProblem } from '../../base/errors.ts';
import type { FunctionFile } from '../../config/settings/functions.ts';
import type { MappingFile } from '../../config/mapping.ts';
import { buildModel } from '../../model/build.ts';
import { uniqueColumns } from '../../model/key.ts';
import { NameIndex } from '../../model/lookup.ts';
import type { ModelSettings, RestrictionCheck } from '../../model/types.ts';
import { inStableOrder, tablesByName } from '../../schema/snapshot.ts';
import { typeName } from '../../schema/translate.ts';
import {
  type PhysicalSchema,
  qualifiedName,
  type Routine,
  type Table,
} from '../../schema/types.ts';
import { mentionedColumns, mentionedRoutines, mentionsForeignKey } from './mentions.ts';
import { addTo } from '../../base/collections.ts';

/** How mapping files and a live schema differ. */
export interface Drift {
  /** What keeps the gateway from starting, or its clients from what they had. */
  readonly errors: readonly StartupProblem[];
  /** What changed without breaking anything, and what no file names. */
  readonly notes: readonly string[];
}

/**
 * Compares mapping files with the schema they are for. With the snapshot of an earlier `init`, what was left out of the files
 * then is not news, and types and keys are compared, too.
 */
export function findDrift(
  files: readonly MappingFile[],
  schema: PhysicalSchema,
  prior: PhysicalSchema | null,
  settings: ModelSettings,
  checkRestriction?: RestrictionCheck,
  functionFiles: readonly FunctionFile[] = [],
): Drift {
  const errors: StartupProblem[] = [];
  const notes: string[] = [];
  try {
    notes.push(...buildModel(files, schema, settings, checkRestriction, functionFiles).warnings);
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
      if (known !== undefined) {
        errors.push(...lostKey(source, table, known));
        notes.push(...changedTypes(table, known));
      }
      notes.push(...unnamed(source, table, known, index));
    } else if (known === undefined && chosen?.has(table.schema) !== false) {
      notes.push(`${qualifiedName(table)}: no mapping file names this ${table.kind}`);
    }
  }
  notes.push(
    ...changedRoutines(mentionedRoutines(files, functionFiles), schema, prior, index.fold),
  );
  return { errors, notes };
}

/** A key that the snapshot knows, and that is neither declared nor there any more. */
function lostKey({ mapping, file }: MappingFile, table: Table, known: Table): StartupProblem[] {
  if (mapping.key !== undefined || keyOf(known).length === 0 || keyOf(table).length > 0) return [];
  return [
    {
      where: file.locate([table.kind]),
      message:
        `${qualifiedName(table)} had the key ${keyOf(known).join(', ')} and has none any more: ` +
        'its entities can no longer be addressed one by one',
    },
  ];
}

/** Columns whose type is not the one of the snapshot. */
function changedTypes(table: Table, known: Table): string[] {
  const types = new Map(known.columns.map(({ name, type }) => [name, typeName(type)]));
  return table.columns.flatMap(({ name, type }) => {
    const was = types.get(name);
    const is = typeName(type);
    return was === undefined || was === is
      ? []
      : [`${qualifiedName(table)}: column ${name} was ${was} and is ${is}`];
  });
}

function keyOf(table: Table): readonly string[] {
  return table.primaryKey.length > 0 ? table.primaryKey : uniqueColumns(table);
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

/**
 * What routines that mapping files name take and return otherwise than in a snapshot. That one is gone, or a parameter that is named, the
 * model says.
 * @param named the qualified names, as {@link fold} makes them comparable
 */
function changedRoutines(
  named: readonly string[],
  schema: PhysicalSchema,
  prior: PhysicalSchema | null,
  fold: (name: string) => string,
): string[] {
  const before = formsOf(prior?.routines ?? []);
  const now = formsOf(schema.routines ?? []);
  const wanted = new Set(named.map(fold));
  return [...now].flatMap(([name, is]) => {
    const was = before.get(name);
    if (was === undefined || was === is || !wanted.has(fold(name))) return [];
    return [`${name}: it was ${was}, and is ${is}`];
  });
}

/** What is taken and returned under each name; of several routines of one name, by each. */
function formsOf(routines: readonly Routine[]): ReadonlyMap<string, string> {
  const forms = new Map<string, string[]>();
  for (const routine of routines) {
    addTo(forms, qualifiedName(routine), formOf(routine));
  }
  return new Map([...forms].map(([name, texts]) => [name, texts.sort().join(' and ')]));
}

/** `(a int4, out b numeric) → text` */
function formOf({ parameters, returns }: Routine): string {
  const taken = parameters.map(({ name, type, direction }) =>
    [...(direction === 'in' ? [] : [direction]), name, typeName(type)].join(' '),
  );
  return `(${taken.join(', ')})${resultText(returns)}`;
}

function resultText(returns: Routine['returns']): string {
  switch (returns.kind) {
    case 'none':
      return '';
    case 'value':
      return ` → ${typeName(returns.type)}`;
    case 'row':
    case 'rows':
      return ` → ${returns.kind} of ${returns.columns?.map(({ name, type }) => `${name} ${typeName(type)}`).join(', ') ?? 'any columns'}`;
  }
}
