import { nameHint } from '../base/names.ts';
import { StartupError } from '../base/errors.ts';
import { atOnce } from '../base/time.ts';
import type { FunctionFile } from '../config/settings/functions.ts';
import type { MappingFile } from '../config/mapping.ts';
import { findNamed, type PhysicalSchema, qualifiedName, type Table } from '../schema/types.ts';
import { buildDataclassFunctions, buildDatastoreFunctions } from './functions/functions.ts';
import {
  type DataclassDraft,
  type Drafts,
  MappingContext,
  ModelReport,
} from './mapping-context.ts';
import { definitionOf } from './definition.ts';
import { readKey, withChildren, withMappedKeys } from './key.ts';
import { mappedName, missingIn, NameIndex } from './lookup.ts';
import { collectionName, dataclassName } from './naming.ts';
import { buildRelations } from './relations.ts';
import { RoutineIndex } from './functions/function-builder.ts';
import { checkRestrictions, readWhere } from './restriction.ts';
import {
  type AliasAttribute,
  type Dataclass,
  isRelation,
  isStored,
  type LeftOut,
  type Member,
  type Model,
  type ModelSettings,
  type RestrictionCheck,
  type Rights,
  type StorageAttribute,
} from './types.ts';
import { aliasOf, isExposed, readAttributes } from './attributes.ts';
import type { ApiFunction } from './functions/function-types.ts';
import { checkChanges, readChanges } from './changes.ts';
import { readStamp } from './stamp.ts';

/** Clients may do everything where no roles say otherwise. */
const EVERYTHING: Rights = { create: null, update: null, delete: null };

/** Builds the model; without `checkRestriction` where it serves no requests. @throws StartupError with every problem of every file */
export function buildModel(...from: Parameters<typeof modelSteps>): Model {
  return atOnce(modelSteps(...from));
}

/** Builds the model as {@link buildModel} does, in short steps: requests may be served meanwhile. */
export function* modelSteps(
  files: readonly MappingFile[],
  schema: PhysicalSchema,
  settings: ModelSettings,
  checkRestriction: RestrictionCheck = () => undefined,
  functionFiles: readonly FunctionFile[] = [],
): Generator<void, Model> {
  const report = new ModelReport();
  const index = new NameIndex(withMappedKeys(files, schema, new NameIndex(schema)));
  const drafts = new Map<string, DataclassDraft>();
  yield;
  for (const source of files) {
    yield;
    const { dataclass } = source.mapping;
    report.addFile(source, dataclass ?? dataclassName(mappedName(source.mapping)?.name ?? ''));
    const table = findTable(source, index, report, settings);
    if (table === null) continue;
    const name = dataclass ?? dataclassName(table.name);
    report.addFile(source, name);
    const other = drafts.get(name)?.context.source.file.path;
    if (other !== undefined) {
      report.problem(source, ['dataclass'], `dataclass ${name} is already mapped by ${other}`);
      continue;
    }
    const context = new MappingContext(source, table, settings, report);
    addWarnings(context);
    drafts.set(name, buildDataclass(context, name, drafts.size + 1));
  }
  checkCollections(drafts);
  yield;
  buildRelations(drafts, index);
  for (const draft of drafts.values()) {
    yield;
    addAliases(draft);
  }
  checkRestrictions(drafts, checkRestriction);
  checkChanges(drafts);
  const context = {
    routines: new RoutineIndex(schema, settings.schemaFile),
    drafts,
    report,
    settings,
  };
  buildDataclassFunctions(context);
  const ofDatastore = buildDatastoreFunctions(functionFiles, context);
  const leftOut = leftOutOf(drafts, report);
  if (report.problems.length > 0 && settings.leavesOut !== true) {
    throw new StartupError(report.problems);
  }
  return {
    dataclasses: new Map([...drafts].map(([name, { dataclass }]) => [name, dataclass])),
    ...ofDatastore,
    leftOut,
    warnings: [...(schema.notes ?? []), ...report.warnings],
  };
}

/** Lists the dataclasses, functions of the datastore and singletons that are wrong or lack something; what is so within dataclasses is written into them. */
function leftOutOf(drafts: Drafts, { faults }: ModelReport): Map<string, LeftOut> {
  const leftOut = new Map<string, LeftOut>();
  for (const [fullName, fault] of faults) {
    const [owner = '', name = ''] = fullName.split('.');
    const draft = name === '' ? undefined : drafts.get(owner);
    if (draft === undefined) leftOut.set(fullName, fault);
    else draft.leftOut.set(name, fault);
  }
  return leftOut;
}

function findTable(
  source: MappingFile,
  index: NameIndex,
  report: ModelReport,
  { schemaFile }: ModelSettings,
): Table | null {
  const { mapping } = source;
  const setting = mapping.view === undefined ? 'table' : 'view';
  const named = mappedName(mapping);
  if (named === null) return null;
  const found = index.table(named.schema, named.name);
  if (found?.kind === setting) {
    if (mapping.children !== true) return found;
    const message = `no table inherits from ${qualifiedName(found)}`;
    return withChildren(found) ?? report.problem(source, ['children'], message);
  }
  const wanted = qualifiedName(named);
  return report.problem(
    source,
    [setting],
    found === undefined
      ? `${missingIn(schemaFile, `${setting} ${wanted}`, 'read')}${nameHint(wanted, index.names())}`
      : `${qualifiedName(found)} is a ${found.kind}: write "${found.kind}:" instead of "${setting}:"`,
  );
}

/** Warns of the columns of a table that cannot be read, and adds the notes of the schema about it. */
function addWarnings(context: MappingContext): void {
  const { table, mapping } = context;
  const { leftOut = [], notes = [], isInherited } = table;
  const texts = [
    ...leftOut.map(({ name, why }) => `column ${name} is left out: ${why}`),
    ...notes,
    ...(isInherited === true && mapping.children === undefined ? [CHILDREN] : []),
  ];
  for (const text of texts) context.warning([table.kind], `${qualifiedName(table)}: ${text}`);
}

const CHILDREN =
  'the rows of tables that inherit from it are left out; children: true reads them, without a key, and children: false says that this is meant';

const NO_STAMP = ', as it has no stamp by which to tell whether it has changed';

/** Says why nothing of a dataclass may be changed, whatever its stamp; null where nothing forbids it. */
function whyReadOnly({ settings, table, mapping }: MappingContext): string | null {
  if (table.readOnly === true) return ', as the database alone writes its table';
  return settings.readOnly || mapping.readOnly === true ? '' : null;
}

/** Builds the `number`-th dataclass without its relations. Mistakes are reported, and the rest is built, as other files may refer to it. */
function buildDataclass(context: MappingContext, name: string, number: number): DataclassDraft {
  const { mapping, table, settings } = context;
  const attributes = readAttributes(context);
  const stored = new Map(attributes.map((attribute) => [attribute.name, attribute]));
  const key = readKey(context, attributes);
  const requireStamp = mapping.requireStamp ?? settings.requireStamp;
  const declared = whyReadOnly(context);
  const stamp = readStamp(context, key, declared !== null);
  const timestamp =
    mapping.timestamp === undefined ? null : context.column(mapping.timestamp, ['timestamp']);
  if (timestamp !== null && timestamp.type.kind !== 'timestamp' && timestamp.type.kind !== 'date') {
    context.problem(['timestamp'], `column ${timestamp.name} holds no date`);
  }
  // Every save of the gateway sets them.
  const counter = stamp.kind === 'counter' ? stamp.column.name : null;
  const isMaintained = ({ column }: StorageAttribute): boolean =>
    column.name === counter || column.name === timestamp?.name;
  const exposed = attributes.filter((attribute) => isExposed(context, attribute.name));
  const members = new Map<string, Member>(
    exposed.map((attribute) => [
      attribute.name,
      isMaintained(attribute) ? { ...attribute, readOnly: 'the gateway sets it' } : attribute,
    ]),
  );
  const functions = new Map<string, ApiFunction>();
  const leftOut = new Map<string, LeftOut>();
  let digest: string | undefined;
  const dataclass: Dataclass = {
    name,
    collection: mapping.collection ?? collectionName(name),
    description: mapping.description ?? null,
    table,
    number,
    key,
    stamp,
    timestamp,
    changes: readChanges(context, key),
    isTimestampSeen: true,
    // A stamp that never changes reveals no change: a client may write only where none is required.
    readOnly: declared ?? (stamp.kind === 'none' && requireStamp ? NO_STAMP : null),
    requireStamp,
    allowsOverwrite: !requireStamp || (settings.compatibility?.overrideStamp ?? false),
    rights: EVERYTHING,
    aggregates: mapping.aggregates ?? true,
    where: readWhere(context),
    messages: readMessages(context),
    members,
    stored,
    functions,
    leftOut,
    // Relations, functions and what is left out are added later.
    definition: () => (digest ??= definitionOf(dataclass)),
  };
  return { context, members, functions, leftOut, dataclass };
}

/** Reads the messages of the constraints of a table; those of a constraint that it does not have are reported. */
function readMessages(context: MappingContext): ReadonlyMap<string, string> {
  const { mapping, table } = context;
  const { checks = [], indexes, foreignKeys, ignoreCase = false } = table;
  const constraints = [...checks, ...indexes.filter(({ unique }) => unique), ...foreignKeys];
  const nameOf = (constraint: { readonly name: string }): string => constraint.name;
  const messages = new Map<string, string>();
  for (const [name, message] of Object.entries(mapping.messages ?? {})) {
    const constraint = findNamed(constraints, name, nameOf, ignoreCase);
    if (constraint !== undefined) {
      messages.set(constraint.name, message);
      continue;
    }
    const hint = nameHint(name, constraints.map(nameOf));
    context.problem(
      ['messages', name],
      `${qualifiedName(table)} has no constraint ${name}.${hint}`,
    );
  }
  return messages;
}

/** Reports collections that have the name of another, or of a dataclass: catalogs name the type of a to-many relation so. */
function checkCollections(drafts: Drafts): void {
  const owners = new Map<string, string>([...drafts.keys()].map((name) => [name, 'a dataclass']));
  for (const { context, dataclass } of drafts.values()) {
    const { name, collection } = dataclass;
    const owner = owners.get(collection);
    if (owner === undefined) owners.set(collection, `${name}'s collection`);
    else {
      const message = `the collection's name ${collection} is already that of ${owner}`;
      context.problem(['collection'], message);
    }
  }
}

/** Adds the aliases of a dataclass among its attributes, in the order of the file, once all relations are there. */
function addAliases(draft: DataclassDraft): void {
  const { context, members } = draft;
  const declared = Object.entries(context.mapping.attributes ?? {});
  const aliases = new Map<string, AliasAttribute>();
  for (const [name, setting] of declared) {
    const path = aliasOf(setting, context.table);
    const { description = null } = typeof setting === 'string' ? {} : setting;
    const alias = path === null ? null : readAlias(name, path, draft, description);
    if (alias !== null && isExposed(context, name)) aliases.set(name, alias);
  }
  if (aliases.size === 0) return;
  const others = [...members];
  members.clear();
  const byName = new Map(others);
  for (const [name] of declared) {
    const member = aliases.get(name) ?? byName.get(name);
    if (member !== undefined) members.set(name, member);
  }
  for (const [name, member] of others) members.set(name, member);
}

/** Reads an alias; null where its path leads to no attribute, which is reported. */
function readAlias(
  name: string,
  path: readonly string[],
  { context, dataclass, members }: DataclassDraft,
  description: string | null,
): AliasAttribute | null {
  const problem = (message: string): null => context.problem(['attributes', name], message);
  if (members.has(name)) return problem(`${dataclass.name} already has a relation ${name}`);
  const written = path.join('.');
  let here = dataclass;
  for (const [index, step] of path.entries()) {
    const isLast = index === path.length - 1;
    const member = here.members.get(step);
    if (member === undefined) {
      const known = [...here.members.values()].filter((other) =>
        isLast ? isStored(other) : other.kind === 'relatedEntity',
      );
      const what = isLast ? 'attribute' : 'relation to one';
      const table = index === 0 ? `, and its table no column ${written}` : '';
      const hint = nameHint(
        step,
        known.map((other) => other.name),
      );
      return problem(`${here.name} has no ${what} ${step}${table}.${hint}`);
    }
    if (!isLast && member.kind !== 'relatedEntity') {
      return problem(`${here.name}.${step} is not a relation to one: an alias has one value`);
    }
    if (isRelation(member)) {
      here = member.target;
      if (!isLast) continue;
      return problem(`${written} leads to entities: an alias names an attribute`);
    }
    if (!isStored(member)) {
      return problem(`${written} leads to an alias: an alias names an attribute`);
    }
    return member.type === 'image' || member.type === 'blob'
      ? problem(`${written} is of type ${member.type}, which clients ask its own entity for`)
      : { kind: 'alias', name, description, path, aliased: member, readOnly: 'it is an alias' };
  }
  return null;
}
