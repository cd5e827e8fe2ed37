import { nameHint } from '../base/names.ts';
import { StartupError, type StartupProblem } from '../base/errors.ts';
import type { MappingFile } from '../config/mapping.ts';
import { qualifiedName, type PhysicalSchema, type Table } from '../schema/types.ts';
import { buildDataclass, type DataclassDraft } from './dataclass.ts';
import { buildRelations } from './relations.ts';
import { comparisonCount, MOST_RESTRICTION_COMPARISONS } from './restriction.ts';
import { mappedName, NameIndex } from './name-index.ts';
import { dataclassName } from './naming.ts';
import type { Model, RestrictionCheck } from './types.ts';

/** Settings of `config.yaml` that the model carries. */
export interface ModelSettings {
  readonly ignoreCase: boolean;
  readonly readOnly: boolean;
  readonly requireStamp: boolean;
  /** Whether `!=` in a restriction finds null; false where it is left out. */
  readonly nullsMatchNotEqual?: boolean;
}

/** Collects what is wrong and what is left out while the model is built. */
export interface ModelReport {
  /** @param path the place in the mapping file */
  readonly problem: (source: MappingFile, path: readonly string[], message: string) => void;
  readonly warning: (source: MappingFile, path: readonly string[], message: string) => void;
  /** Whether a dataclass is missing because its own file is wrong, which was reported there. */
  readonly isFaulty: (dataclass: string) => boolean;
  readonly checkRestriction: RestrictionCheck;
}

/**
 * Builds the model from the mapping files and the schema they name.
 * @param checkRestriction looks at the values of restrictions; left out where nothing is asked of the model
 * @throws StartupError with every problem of every file, each with its line and the nearest valid name
 */
export function buildModel(
  files: readonly MappingFile[],
  schema: PhysicalSchema,
  settings: ModelSettings,
  checkRestriction: RestrictionCheck = () => undefined,
): Model {
  const problems: StartupProblem[] = [];
  const warnings: string[] = [];
  const faulty = new Set<string>();
  const report: ModelReport = {
    problem: ({ file }, path, message) => {
      problems.push({ where: file.locate(path), message });
    },
    warning: ({ file }, path, message) => {
      warnings.push(`${file.locate(path)}: ${message}`);
    },
    isFaulty: (dataclass) => faulty.has(dataclass),
    checkRestriction,
  };
  const index = new NameIndex(schema);
  const drafts = new Map<string, DataclassDraft>();
  for (const source of files) {
    const table = findTable(source, index, report);
    if (table === null) {
      if (source.mapping.dataclass !== undefined) faulty.add(source.mapping.dataclass);
      continue;
    }
    const name = source.mapping.dataclass ?? dataclassName(table.name);
    const other = drafts.get(name);
    if (other !== undefined) {
      report.problem(
        source,
        ['dataclass'],
        `dataclass ${name} is already mapped by ${other.source.file.path}`,
      );
      continue;
    }
    drafts.set(name, buildDataclass(source, table, name, drafts.size + 1, settings, report));
  }
  checkCollections(drafts, report);
  countComparisons(drafts, report);
  buildRelations(drafts, index, report);
  if (problems.length > 0) throw new StartupError(problems);
  return {
    dataclasses: new Map([...drafts].map(([name, { dataclass }]) => [name, dataclass])),
    warnings,
  };
}

/** Catalogs name the type of a to-many relation by its collection: no other dataclass or collection may have that name. */
function checkCollections(drafts: ReadonlyMap<string, DataclassDraft>, report: ModelReport): void {
  const owners = new Map<string, string>([...drafts.keys()].map((name) => [name, name]));
  for (const { source, dataclass } of drafts.values()) {
    const owner = owners.get(dataclass.collection);
    if (owner === undefined) {
      owners.set(dataclass.collection, dataclass.name);
      continue;
    }
    report.problem(
      source,
      ['collection'],
      `the collection's name ${dataclass.collection} is already that of ` +
        (owner === dataclass.collection ? 'a dataclass' : `${owner}'s collection`),
    );
  }
}

function countComparisons(drafts: ReadonlyMap<string, DataclassDraft>, report: ModelReport): void {
  let count = 0;
  for (const { source, dataclass } of drafts.values()) {
    count += comparisonCount(dataclass.where);
    if (count <= MOST_RESTRICTION_COMPARISONS) continue;
    const message = `all files together may have ${MOST_RESTRICTION_COMPARISONS} comparisons in their where; this one goes beyond`;
    report.problem(source, ['where'], message);
    return;
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
