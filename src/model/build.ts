import { nameHint } from '../base/names.ts';
import { StartupError } from '../base/errors.ts';
import type { FunctionFile } from '../config/settings/functions.ts';
import type { MappingFile } from '../config/mapping.ts';
import { type Column, type PhysicalSchema, qualifiedName, type Table } from '../schema/types.ts';
import { buildDataclassFunctions, buildDatastoreFunctions } from './functions/functions.ts';
import {
  type DataclassDraft,
  type Drafts,
  MappingContext,
  ModelReport,
} from './mapping-context.ts';
import { readKey, withMappedKeys } from './key.ts';
import { mappedName, NameIndex } from './lookup.ts';
import { collectionName, dataclassName } from './naming.ts';
import { buildRelations } from './relations.ts';
import { RoutineIndex } from './functions/routine-index.ts';
import { checkRestrictions, readWhere } from './restriction.ts';
import {
  type AliasAttribute,
  isRelation,
  isStored,
  type Member,
  type Model,
  type ModelSettings,
  type RestrictionCheck,
  type Rights,
  type Stamp,
} from './types.ts';
import { aliasOf, readAttributes } from './attributes.ts';
import type { ApiFunction } from './functions/function-types.ts';
import { readStamp } from './stamp.ts';

/** Where nobody says what clients may do, they may do everything. */
const EVERYTHING: Rights = { create: null, update: null, delete: null };

/**
 * Builds a dataclass without its relations. Where its file is wrong the report says so, and what is right of it is built all
 * the same: other files may refer to it.
 * @param number the dataclass's place among all, from 1 on
 */
function buildDataclass(context: MappingContext, name: string, number: number): DataclassDraft {
  const { mapping, table, settings } = context;
  const attributes = readAttributes(context);
  const stored = new Map(attributes.map(({ attribute }) => [attribute.name, attribute]));
  const key = readKey(context, attributes);
  const requireStamp = mapping.requireStamp ?? settings.requireStamp;
  const readOnly = settings.readOnly || table.readOnly === true || (mapping.readOnly ?? false);
  const stamp = readStamp(context, key, readOnly);
  const timestamp =
    mapping.timestamp === undefined ? null : context.column(mapping.timestamp, ['timestamp']);
  if (timestamp !== null && timestamp.type.kind !== 'timestamp' && timestamp.type.kind !== 'date') {
    context.problem(['timestamp'], `column ${timestamp.name} holds no date`);
  }
  const maintained = maintainedColumns(stamp, timestamp);
  const members = new Map<string, Member>(
    attributes
      .filter(({ exposed }) => exposed)
      .map(({ attribute }) => [
        attribute.name,
        maintained.has(attribute.column.name) ? { ...attribute, readOnly: true } : attribute,
      ]),
  );
  const functions = new Map<string, ApiFunction>();
  return {
    context,
    members,
    functions,
    dataclass: {
      name,
      collection: mapping.collection ?? collectionName(name),
      table,
      number,
      key,
      stamp,
      timestamp,
      isTimestampSeen: true,
      // A stamp that never changes tells nobody of a change: who writes must have been told that none is looked at.
      readOnly: readOnly || (stamp.kind === 'none' && requireStamp),
      requireStamp,
      allowsOverwrite: !requireStamp || (settings.compatibility?.overrideStamp ?? false),
      rights: EVERYTHING,
      where: readWhere(context, name, stored),
      members,
      stored,
      functions,
    },
  };
}

/** The columns that every save of the gateway sets: the stamp's counter and the timestamp. */
function maintainedColumns(stamp: Stamp, timestamp: Column | null): ReadonlySet<string> {
  const counter = stamp.kind === 'counter' ? [stamp.column.name] : [];
  return new Set(timestamp === null ? counter : [...counter, timestamp.name]);
}

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

/** Adds the attributes that are other names for what relations lead to, at their places among the others, once all relations are there. */
function buildAliases(drafts: Drafts): void {
  for (const draft of drafts.values()) {
    const { context, members } = draft;
    const declared = Object.entries(context.mapping.attributes ?? {});
    const aliases = declared.flatMap(([name, setting]): AliasAttribute[] => {
      const path = aliasOf(setting, context.table);
      const alias = path === null ? null : readAlias(name, path, draft);
      const isExposed = typeof setting === 'string' || setting.exposed;
      return alias !== null && isExposed ? [alias] : [];
    });
    if (aliases.length === 0) continue;
    const ordered = new Map<string, Member | undefined>(
      declared.map(([name]) => [name, members.get(name)]),
    );
    for (const alias of aliases) ordered.set(alias.name, alias);
    for (const [name, member] of members) ordered.set(name, member);
    members.clear();
    for (const [name, member] of ordered) if (member !== undefined) members.set(name, member);
  }
}

/** An alias; null where its path leads to no attribute, which is reported. */
function readAlias(
  name: string,
  path: readonly string[],
  { context, dataclass, members }: DataclassDraft,
): AliasAttribute | null {
  const problem = (message: string): null => {
    context.problem(['attributes', name], message);
    return null;
  };
  if (members.has(name)) return problem(`${dataclass.name} already has a relation ${name}`);
  const written = path.join('.');
  let here = dataclass;
  for (const [index, step] of path.entries()) {
    const isLast = index === path.length - 1;
    const member = here.members.get(step);
    const known = [...here.members.values()].filter((other) =>
      isLast ? isStored(other) : other.kind === 'relatedEntity',
    );
    if (member === undefined) {
      const names = known.map((other) => other.name);
      const what = isLast ? 'attribute' : 'relation to one';
      const table = index === 0 ? `, and its table no column ${written}` : '';
      return problem(`${here.name} has no ${what} ${step}${table}.${nameHint(step, names)}`);
    }
    if (isLast) {
      if (!isStored(member)) {
        const what = isRelation(member) ? 'entities' : 'an alias';
        return problem(`${written} leads to ${what}: an alias names an attribute`);
      }
      return member.type === 'image' || member.type === 'blob'
        ? problem(`${written} is of type ${member.type}, which clients ask its own entity for`)
        : { kind: 'alias', name, path, aliased: member, readOnly: true };
    }
    if (member.kind !== 'relatedEntity') {
      return problem(`${here.name}.${step} is not a relation to one: an alias has one value`);
    }
    here = member.target;
  }
  return null;
}
