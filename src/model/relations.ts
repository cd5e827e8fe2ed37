import { nameHint } from '../base/names.ts';
import type { Table } from '../schema/types.ts';
import { addRelation, type DataclassDraft, type Drafts } from './mapping-context.ts';
import type { NameIndex } from './lookup.ts';
import { UsedNames } from './naming.ts';
import { addToOne, foreignKeyHop, type RelationSetting } from './to-one.ts';
import { isRelation, type Hop } from './types.ts';

/**
 * Adds the relations of all dataclasses: first those to one, which stand on columns, then their inverses, then those that
 * follow a path of relations. A file without a `relations` part gets what its table's foreign keys say.
 */
export function buildRelations(drafts: Drafts, index: NameIndex): void {
  const settings = [...drafts.values()].flatMap((draft) =>
    Object.entries(draft.context.mapping.relations ?? {}).map(([name, setting]) => ({
      draft,
      name,
      setting,
    })),
  );
  for (const { draft, name } of settings) {
    if (draft.members.has(name)) {
      const { context, dataclass } = draft;
      context.problem(['relations', name], `${dataclass.name} already has an attribute ${name}`);
    }
  }
  const mapped = new Map<Table, DataclassDraft>();
  for (const draft of drafts.values()) {
    // Of several dataclasses over one table, foreign keys lead to the first.
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

/** Relations were added kind by kind; clients see them in the order of the mapping file. */
function moveToEnd({ members }: DataclassDraft, name: string): void {
  const member = members.get(name);
  if (member === undefined || !isRelation(member)) return;
  members.delete(name);
  members.set(name, member);
}

/** A relation to one for each foreign key whose target is mapped, and the way back where that file leaves it open. */
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
    addRelation(draft, { name, target: target.dataclass, hops: [hop] });
    if (target.context.mapping.relations === undefined) {
      const back = new UsedNames(target.members.keys()).claim(
        `${lowerFirst(dataclass.name)}Collection`,
      );
      link(draft, name, target, back);
    }
  }
}

function addInverse(draft: DataclassDraft, name: string, inverse: string, drafts: Drafts): void {
  const { context, dataclass } = draft;
  const path = ['relations', name, 'inverse'];
  const [first = '', second] = inverse.split('.');
  const owner = second === undefined ? draft : drafts.get(first);
  if (owner === undefined) {
    if (context.report.isFaulty(first)) return;
    context.problem(path, `there is no dataclass ${first}.${nameHint(first, drafts.keys())}`);
    return;
  }
  const relationName = second ?? first;
  const toOne = owner.members.get(relationName);
  if (toOne === undefined && declares(owner, relationName, 'to')) return;
  if (toOne?.kind !== 'relatedEntity' || toOne.target !== dataclass) {
    const known = [...owner.members.values()]
      .filter((member) => member.kind === 'relatedEntity' && member.target === dataclass)
      .map((member) => member.name);
    context.problem(
      path,
      `${owner.dataclass.name} has no relation ${relationName} to one ${dataclass.name}.` +
        nameHint(relationName, known),
    );
    return;
  }
  if (toOne.inverse !== null) {
    const other = `${owner.dataclass.name}.${relationName}`;
    context.problem(path, `${other} is already inverted by ${toOne.inverse}`);
    return;
  }
  link(owner, relationName, draft, name);
}

/**
 * Whether a mapping file declares a relation in one of these forms. One that is not among the members was reported: what
 * is built on it is not reported once more.
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

/** Adds the to-many relation `back` that inverts the to-one relation `name`, and tells each of the other. */
function link(owner: DataclassDraft, name: string, target: DataclassDraft, back: string): void {
  const toOne = owner.members.get(name);
  const hop = toOne?.kind === 'relatedEntity' ? toOne.hops[0] : undefined;
  if (toOne?.kind !== 'relatedEntity' || hop === undefined) return;
  owner.members.set(name, { ...toOne, inverse: back });
  const { dataclass } = owner;
  const reversed: Hop = { target: dataclass, from: hop.to, to: hop.from, toMany: true };
  addRelation(target, { name: back, target: dataclass, hops: [reversed], inverse: name });
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
      context.problem(
        [...path, String(index)],
        `${at.dataclass.name} has no relation ${step} on columns.${nameHint(step, known)}`,
      );
      return;
    }
    hops.push(...member.hops);
    const next = drafts.get(member.target.name);
    if (next === undefined) return;
    at = next;
  }
  if (!hops.some((hop) => hop.toMany)) {
    context.problem(path, 'leads to one entity; a path has to lead to many');
    return;
  }
  addRelation(draft, { name, target: at.dataclass, hops, through });
}

function lowerFirst(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}
