import { nameHint } from '../base/names.ts';
import type { Table } from '../schema/types.ts';
import { addRelation, type DataclassDraft, type Drafts } from './mapping-context.ts';
import type { NameIndex } from './lookup.ts';
import { UsedNames } from './naming.ts';
import { addToOne, foreignKeyHop, type RelationSetting } from './to-one.ts';
import { isRelation, type Hop } from './types.ts';

/**
 * Adds the relations of all dataclasses: first those to one, then their inverses, then those that
 * follow a path of relations. A file without `relations` gets them from the foreign keys of its table.
 */
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
    if ('inverse' in setting) addInverse(draft, name, setting.inverse, drafts);
  }
  for (const { draft, name, setting } of settings) {
    if ('through' in setting) addThrough(draft, name, setting.through, drafts);
  }
  for (const { draft, name } of settings) moveToEnd(draft, name);
}

/** Moves a relation behind those moved before: they were added kind by kind, and clients see them in the order of the mapping file. */
function moveToEnd({ members }: DataclassDraft, name: string): void {
  const member = members.get(name);
  if (member === undefined || !isRelation(member)) return;
  members.delete(name);
  members.set(name, member);
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

function addInverse(draft: DataclassDraft, name: string, inverse: string, drafts: Drafts): void {
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
    link(owner, relationName, draft, name);
  }
}

/**
 * Whether a mapping file declares a relation in one of these forms. Where it does, and the relation is not among the members, the
 * reason is reported already.
 */
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
function link(owner: DataclassDraft, name: string, target: DataclassDraft, back: string): void {
  const toOne = owner.members.get(name);
  if (toOne?.kind !== 'relatedEntity') return;
  owner.members.set(name, { ...toOne, inverse: back });
  const { dataclass } = owner;
  const reversed = toOne.hops.map(({ from, to }): Hop => ({
    target: dataclass,
    from: to,
    to: from,
    toMany: true,
  }));
  addRelation(target, back, dataclass, reversed, { inverse: name });
}

function addThrough(
  draft: DataclassDraft,
  name: string,
  through: readonly string[],
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
  if (hops.some((hop) => hop.toMany)) addRelation(draft, name, at.dataclass, hops, { through });
  else context.problem(path, 'leads to one entity; a path has to lead to many');
}

function lowerFirst(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}
