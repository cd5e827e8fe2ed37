import { StartupError, type StartupProblem } from '../../base/errors.ts';
import type { FunctionFile } from '../../config/settings/functions.ts';
import type { MappingFile } from '../../config/mapping.ts';
import { isUnique } from '../../model/attributes.ts';
import { buildModel } from '../../model/build.ts';
import { NameIndex } from '../../model/lookup.ts';
import type { Model, ModelSettings, RestrictionCheck } from '../../model/types.ts';
import { inStableOrder, tablesByName } from '../../schema/snapshot.ts';
import { typeName } from '../../schema/translate.ts';
import {
  type PhysicalSchema,
  qualifiedName,
  type Routine,
  type Table,
} from '../../schema/types.ts';
import { tableChooser } from './choice.ts';
import { physicalKey } from './draft.ts';
import { mentionedColumns, mentionedRoutines, mentionsForeignKey } from './mentions.ts';
import type { Rules } from './rules.ts';
import { addTo } from '../../base/collections.ts';

export interface Drift {
  /** Differences that keep the gateway from starting, or take something from its clients. */
  readonly errors: readonly StartupProblem[];
  /** Changes that break nothing, and what no file names. */
  readonly notes: readonly string[];
  /** The model of the mapping files; null if they have errors. */
  readonly model: Model | null;
}

/**
 * Compares mapping files with their schema, and with the snapshot of an earlier `init`: what was left out of the files then is not reported.
 * @param rules those of init.yaml: tables that they do not choose are not reported
 */
export function findDrift(
  files: readonly MappingFile[],
  schema: PhysicalSchema,
  prior: PhysicalSchema | null,
  settings: ModelSettings,
  checkRestriction?: RestrictionCheck,
  functionFiles: readonly FunctionFile[] = [],
  rules: Rules | null = null,
): Drift {
  const errors: StartupProblem[] = [];
  const notes: string[] = [];
  let model: Model | null = null;
  try {
    model = buildModel(files, schema, settings, checkRestriction, functionFiles);
    notes.push(...model.warnings);
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
  const isChosen = rules === null ? () => true : tableChooser(rules, index.fold);
  for (const table of inStableOrder(schema).tables) {
    const source = sources.get(index.table(table.schema, table.name) ?? table);
    const known = before?.get(qualifiedName(table));
    if (source !== undefined) {
      if (known !== undefined) {
        errors.push(...lostKey(source, table, known));
        notes.push(...changedTypes(table, known));
      }
      notes.push(...unnamed(source, table, known, index));
    } else if (known === undefined && chosen?.has(table.schema) !== false && isChosen(table)) {
      notes.push(`${qualifiedName(table)}: no mapping file names this ${table.kind}`);
    }
  }
  const named = new Set(mentionedRoutines(files, functionFiles).map(index.fold));
  const isNamed = (name: string): boolean => named.has(index.fold(name));
  notes.push(...changedRoutines(schema, prior, isNamed));
  return { errors, notes, model };
}

/** Reports a key of the snapshot that is neither declared nor in the database any more, and a declared one that nothing keeps unique any more. */
function lostKey({ mapping, file }: MappingFile, table: Table, known: Table): StartupProblem[] {
  const before = physicalKey(known);
  const { key } = mapping;
  if (key !== undefined) {
    if (!isUnique(known, key) || isUnique(table, key)) return [];
    const message =
      `${qualifiedName(table)} has lost its key ${key.join(', ')}: ` +
      'several rows may have the same, and such rows can no longer be changed';
    return [{ where: file.locate(['key']), message }];
  }
  if (before.length === 0 || physicalKey(table).length > 0) return [];
  const message =
    `${qualifiedName(table)} has lost its key ${before.join(', ')}: ` +
    'clients can no longer address single entities';
  return [{ where: file.locate([table.kind]), message }];
}

function changedTypes(table: Table, known: Table): string[] {
  const types = new Map(known.columns.map(({ name, type }) => [name, typeName(type)]));
  return table.columns.flatMap(({ name, type }) => {
    const was = types.get(name);
    const is = typeName(type);
    return was === undefined || was === is
      ? []
      : [`${qualifiedName(table)}: column ${name} changed from ${was} to ${is}`];
  });
}

/** Reports columns and foreign keys that neither the file nor the snapshot knows. */
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
  const note = (what: string): string => `${qualifiedName(table)}: ${path} does not name ${what}`;
  return [
    ...columns.map(({ name }) => note(`column ${name}`)),
    ...foreignKeys.map(({ name }) => note(`foreign key ${name}`)),
  ];
}

/** Reports mapped routines whose parameters or results have changed; the model reports missing ones. */
function changedRoutines(
  schema: PhysicalSchema,
  prior: PhysicalSchema | null,
  isNamed: (name: string) => boolean,
): string[] {
  const before = signatures(prior?.routines ?? []);
  return [...signatures(schema.routines ?? [])].flatMap(([name, is]) => {
    const was = before.get(name);
    if (was === undefined || was === is || !isNamed(name)) return [];
    return [`${name} changed from ${was} to ${is}`];
  });
}

/** Returns the signatures of the routines of each name: `(a int4, out b numeric) → text`. */
function signatures(routines: readonly Routine[]): ReadonlyMap<string, string> {
  const found = new Map<string, string[]>();
  for (const routine of routines) addTo(found, qualifiedName(routine), signature(routine));
  return new Map([...found].map(([name, texts]) => [name, texts.sort().join(' and ')]));
}

function signature({ parameters, returns }: Routine): string {
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
