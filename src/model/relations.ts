import { zip } from '../base/collections.ts';
import { nameHint } from '../base/names.ts';
import {
  type Column,
  findNamed,
  type ForeignKey,
  qualifiedName,
  type Table,
} from '../schema/types.ts';
import {
  addRelation,
  type DataclassDraft,
  type Drafts,
  type MappingContext,
} from './mapping-context.ts';
import type { NameIndex } from './lookup.ts';
import { UsedNames } from './naming.ts';
import { type Dataclass, type Hop, isRelation } from './types.ts';
import type { Mapping } from '../config/mapping.ts';
import { areComparable } from '../schema/type-rules.ts';
import { isUnique } from './attributes.ts';

/** Adds all relations: those to one, their inverses, then paths of relations. A file without `relations` gets those of its foreign keys. */
export function buildRelations(drafts: Drafts, index: NameIndex): void {
  const settings = [...drafts.values()].flatMap((draft) => {
    const declared = Object.entries(draft.context.mapping.relations ?? {});
    return declared.map(([name, setting]) => ({ draft, name, setting }));
  });
  for (const { draft, name } of settings) {
    if (draft.members.has(name)) {
      const { context, dataclass } = draft;
      context.problem(['relations', name], `${dataclass.name} already has an attribute ${name}`);
    }
  }
  const mapped = new Map<Table, DataclassDraft>();
  for (const draft of drafts.values()) {
    // Foreign keys lead to the first of several dataclasses over one table.
    if (!mapped.has(draft.dataclass.table)) mapped.set(draft.dataclass.table, draft);
  }
  for (const draft of drafts.values()) {
    if (draft.context.mapping.relations === undefined) deriveRelations(draft, mapped, index);
  }
  for (const { draft, name, setting } of settings) {
    if ('to' in setting) addToOne(draft, name, setting, drafts);
  }
  for (const { draft, name, setting } of settings) {
    if ('inverse' in setting) addInverse(draft, name, setting, drafts);
  }
  for (const { draft, name, setting } of settings) {
    if ('through' in setting) addThrough(draft, name, setting, drafts);
  }
  // They were added kind by kind, and clients see them in the order of the mapping file.
  for (const { draft, name } of settings) {
    const member = draft.members.get(name);
    if (member === undefined || !isRelation(member)) continue;
    draft.members.delete(name);
    draft.members.set(name, member);
  }
}

/** Adds a relation to one for each foreign key whose target is mapped, and its inverse where the target's file has no `relations`. */
function deriveRelations(
  draft: DataclassDraft,
  mapped: ReadonlyMap<Table, DataclassDraft>,
  index: NameIndex,
): void {
  const { dataclass } = draft;
  for (const foreignKey of dataclass.table.foreignKeys) {
    const table = index.table(foreignKey.targetSchema, foreignKey.targetTable);
    const target = table === undefined ? undefined : mapped.get(table);
    if (target === undefined) continue;
    const hop = foreignKeyHop(dataclass.table, foreignKey, target.dataclass);
    if (hop === null) continue;
    const name = new UsedNames(draft.members.keys()).claim(lowerFirst(target.dataclass.name));
    addRelation(draft, name, target.dataclass, [hop]);
    if (target.context.mapping.relations === undefined) {
      const wanted = `${lowerFirst(dataclass.name)}Collection`;
      link(draft, name, target, new UsedNames(target.members.keys()).claim(wanted));
    }
  }
}

function addInverse(
  draft: DataclassDraft,
  name: string,
  { inverse, description }: Extract<RelationSetting, { inverse: string }>,
  drafts: Drafts,
): void {
  const { context, dataclass } = draft;
  const path = ['relations', name, 'inverse'];
  const [first = '', second] = inverse.split('.');
  const owner =
    second === undefined ? draft : context.report.dataclass(first, drafts, context.source, path);
  if (owner === null) return;
  const relationName = second ?? first;
  const toOne = owner.members.get(relationName);
  if (toOne === undefined && declares(owner, relationName, 'to')) return;
  if (toOne?.kind !== 'relatedEntity' || toOne.target !== dataclass) {
    const known = [...owner.members.values()]
      .filter((member) => member.kind === 'relatedEntity' && member.target === dataclass)
      .map((member) => member.name);
    const hint = nameHint(relationName, known);
    const what = `relation ${relationName} to one ${dataclass.name}`;
    context.problem(path, `${owner.dataclass.name} has no ${what}.${hint}`);
  } else if (toOne.inverse !== null) {
    const other = `${owner.dataclass.name}.${relationName}`;
    context.problem(path, `${other} is already inverted by ${toOne.inverse}`);
  } else {
    link(owner, relationName, draft, name, description ?? null);
  }
}

/** Whether a mapping file declares a relation in one of these forms. Where the members lack it all the same, the reason is already reported. */
function declares(
  { context }: DataclassDraft,
  name: string,
  ...forms: readonly ('to' | 'inverse')[]
): boolean {
  const settings: Readonly<Record<string, RelationSetting>> = context.mapping.relations ?? {};
  const setting = Object.hasOwn(settings, name) ? settings[name] : undefined;
  return setting !== undefined && forms.some((form) => form in setting);
}

/** Adds the to-many relation `back` as the inverse of the to-one relation `name`, and names each in the other. */
function link(
  owner: DataclassDraft,
  name: string,
  target: DataclassDraft,
  back: string,
  description: string | null = null,
): void {
  const toOne = owner.members.get(name);
  if (toOne?.kind !== 'relatedEntity') return;
  owner.members.set(name, { ...toOne, inverse: back });
  const { dataclass } = owner;
  const [{ from, to }] = toOne.hops;
  const reversed: Hop = { target: dataclass, from: to, to: from, toMany: true };
  addRelation(target, back, dataclass, [reversed], { inverse: name, description });
}

function addThrough(
  draft: DataclassDraft,
  name: string,
  { through, description }: Extract<RelationSetting, { through: readonly string[] }>,
  drafts: Drafts,
): void {
  const { context } = draft;
  const path = ['relations', name, 'through'];
  let at = draft;
  const hops: Hop[] = [];
  for (const [index, step] of through.entries()) {
    const member = at.members.get(step);
    if (member === undefined && declares(at, step, 'to', 'inverse')) return;
    if (member === undefined || !isRelation(member) || member.through !== null) {
      const known = [...at.members.values()]
        .filter((found) => isRelation(found) && found.through === null)
        .map((found) => found.name);
      const message = `${at.dataclass.name} has no relation ${step} on columns.${nameHint(step, known)}`;
      context.problem([...path, String(index)], message);
      return;
    }
    hops.push(...member.hops);
    const next = drafts.get(member.target.name);
    if (next === undefined) return;
    at = next;
  }
  const [first, ...others] = hops;
  if (first !== undefined && hops.some((hop) => hop.toMany)) {
    addRelation(draft, name, at.dataclass, [first, ...others], {
      through,
      description: description ?? null,
    });
  } else context.problem(path, 'leads to one entity; a path has to lead to many');
}

function lowerFirst(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/** A relation in a mapping file. */
type RelationSetting = NonNullable<Mapping['relations']>[string];

/** Adds a relation to one, over a foreign key or pairs of columns. */
function addToOne(
  draft: DataclassDraft,
  name: string,
  setting: Extract<RelationSetting, { to: string }>,
  drafts: Drafts,
): void {
  const { context } = draft;
  const path = ['relations', name];
  const found = context.report.dataclass(setting.to, drafts, context.source, [...path, 'to']);
  if (found === null) return;
  const target = found.dataclass;
  const hop =
    'foreignKey' in setting
      ? namedForeignKey(context, [...path, 'foreignKey'], setting.foreignKey, target)
      : columnsHop(context, [...path, 'columns'], setting.columns, target);
  if (hop === null) return;
  const problem = toOneProblem(hop, target);
  if (problem === null)
    addRelation(draft, name, target, [hop], { description: setting.description ?? null });
  else context.problem(path, problem);
}

function namedForeignKey(
  context: MappingContext,
  path: readonly string[],
  name: string,
  target: Dataclass,
): Hop | null {
  const { table } = context;
  // SQL Server's constraint names are not case-sensitive on most servers.
  const foreignKey = findNamed(table.foreignKeys, name, (candidate) => candidate.name, true);
  if (foreignKey === undefined) {
    const known = table.foreignKeys.map((candidate) => candidate.name);
    const message = `${qualifiedName(table)} has no foreign key ${name}.${nameHint(name, known)}`;
    return context.problem(path, message);
  }
  const hop = foreignKeyHop(table, foreignKey, target);
  const { targetSchema, targetTable } = foreignKey;
  const message = `foreign key ${name} refers to ${targetSchema}.${targetTable}, not to ${qualifiedName(target.table)} of dataclass ${target.name}`;
  return hop ?? context.problem(path, message);
}

/** The hop over a foreign key; null where it leads to another table. */
function foreignKeyHop(
  table: Table,
  { columns, targetSchema, targetTable, targetColumns }: ForeignKey,
  target: Dataclass,
): Hop | null {
  if (targetSchema !== target.table.schema || targetTable !== target.table.name) return null;
  const from = pick(table, columns);
  const to = pick(target.table, targetColumns);
  return from === null || to === null ? null : { target, from, to, toMany: false };
}

function pick(table: Table, names: readonly string[]): Column[] | null {
  const columns = names.map((name) => table.columns.find((column) => column.name === name));
  return columns.every((column) => column !== undefined) ? columns : null;
}

function columnsHop(
  context: MappingContext,
  path: readonly string[],
  pairs: Readonly<Record<string, string>>,
  target: Dataclass,
): Hop | null {
  const from: Column[] = [];
  const to: Column[] = [];
  for (const [here, there] of Object.entries(pairs)) {
    const left = context.column(here, [...path, here]);
    const right = context.column(there, [...path, here], target.table);
    if (left === null || right === null) return null;
    from.push(left);
    to.push(right);
  }
  return { target, from, to, toMany: false };
}

/** Why a hop cannot be a relation to one, as a sentence; null where it can. */
function toOneProblem(hop: Hop, target: Dataclass): string | null {
  const names = hop.to.map(({ name }) => name);
  const keyed =
    target.key.length > 0 && target.key.every(({ column }) => names.includes(column.name));
  if (!keyed && !isUnique(target.table, names)) {
    return `${names.join(', ')} is not unique in ${qualifiedName(target.table)}, so that a relation to one could find several rows`;
  }
  for (const [left, right] of zip(hop.from, hop.to)) {
    if (!areComparable(left.type, right.type)) {
      return `column ${left.name} (${left.type.native}) cannot equal ${right.name} (${right.type.native})`;
    }
  }
  return null;
}
