import { nameHint } from '../base/names.ts';
import { StartupError } from '../base/errors.ts';
import type { FunctionFile } from '../config/settings/functions.ts';
import type { MappingFile } from '../config/mapping.ts';
import { qualifiedName, type PhysicalSchema, type Table } from '../schema/types.ts';
import { buildAliases } from './aliases.ts';
import { buildDataclass } from './dataclass.ts';
import type { DataclassDraft, Drafts } from './draft.ts';
import { buildDataclassFunctions, buildDatastoreFunctions } from './functions/functions.ts';
import { MappingContext } from './mapping-context.ts';
import { withMappedKeys } from './mapped-keys.ts';
import { mappedName, NameIndex } from './name-index.ts';
import { dataclassName } from './naming.ts';
import { buildRelations } from './relations.ts';
import { RoutineIndex } from './functions/routine-index.ts';
import { ModelReport } from './report.ts';
import { checkRestrictions } from './restriction.ts';
import type { ModelSettings } from './settings.ts';
import type { Model, RestrictionCheck } from './types.ts';

/**
 * Builds the model from the mapping files and the schema they name.
 * @param functionFiles those of the mapping files that map no table
 * @param checkRestriction looks at the values of restrictions; left out where nothing is asked of the model
 * @throws StartupError with every problem of every file, each with its line and the nearest valid name
 */
export function buildModel(
  files: readonly MappingFile[],
  schema: PhysicalSchema,
  settings: ModelSettings,
  checkRestriction: RestrictionCheck = () => undefined,
  functionFiles: readonly FunctionFile[] = [],
): Model {
  const report = new ModelReport();
  const index = new NameIndex(withMappedKeys(files, schema, new NameIndex(schema)));
  const drafts = new Map<string, DataclassDraft>();
  for (const source of files) {
    const table = findTable(source, index, report);
    if (table === null) {
      if (source.mapping.dataclass !== undefined) report.addFaulty(source.mapping.dataclass);
      continue;
    }
    const name = source.mapping.dataclass ?? dataclassName(table.name);
    const other = drafts.get(name);
    if (other !== undefined) {
      const { path } = other.context.source.file;
      report.problem(source, ['dataclass'], `dataclass ${name} is already mapped by ${path}`);
      continue;
    }
    const context = new MappingContext(source, table, settings, report);
    tellOf(context);
    drafts.set(name, buildDataclass(context, name, drafts.size + 1));
  }
  checkCollections(drafts);
  checkRestrictions(drafts, checkRestriction);
  buildRelations(drafts, index);
  buildAliases(drafts);
  const context = { routines: new RoutineIndex(schema), drafts, report, settings };
  buildDataclassFunctions(context);
  const ofDatastore = buildDatastoreFunctions(functionFiles, context);
  if (report.problems.length > 0) throw new StartupError(report.problems);
  return {
    dataclasses: new Map([...drafts].map(([name, { dataclass }]) => [name, dataclass])),
    ...ofDatastore,
    warnings: [...(schema.notes ?? []), ...report.warnings],
  };
}

/** What the database says of a table that is mapped: what cannot be read of it, and what is to be known. */
function tellOf(context: MappingContext): void {
  const { table } = context;
  const what = qualifiedName(table);
  for (const { name, why } of table.leftOut ?? []) {
    context.warning([table.kind], `${what}: column ${name} is left out: ${why}`);
  }
  for (const note of table.notes ?? []) context.warning([table.kind], `${what}: ${note}`);
}

/** Catalogs name the type of a to-many relation by its collection: no other dataclass or collection may have that name. */
function checkCollections(drafts: Drafts): void {
  const owners = new Map<string, string>([...drafts.keys()].map((name) => [name, name]));
  for (const { context, dataclass } of drafts.values()) {
    const owner = owners.get(dataclass.collection);
    if (owner === undefined) {
      owners.set(dataclass.collection, dataclass.name);
      continue;
    }
    context.problem(
      ['collection'],
      `the collection's name ${dataclass.collection} is already that of ` +
        (owner === dataclass.collection ? 'a dataclass' : `${owner}'s collection`),
    );
  }
}

function findTable(source: MappingFile, index: NameIndex, report: ModelReport): Table | null {
  const { mapping } = source;
  const setting = mapping.view === undefined ? 'table' : 'view';
  const named = mappedName(mapping);
  if (named === null) return null;
  const found = index.mapped(mapping);
  if (found === undefined) {
    const wanted = qualifiedName(named);
    report.problem(
      source,
      [setting],
      `the database has no ${setting} ${wanted}.${nameHint(wanted, index.names())}`,
    );
    return null;
  }
  if (found.kind !== setting) {
    report.problem(
      source,
      [setting],
      `${qualifiedName(found)} is a ${found.kind}: write "${found.kind}:" instead of "${setting}:"`,
    );
    return null;
  }
  return found;
}
