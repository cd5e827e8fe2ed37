import { nameHint } from '../base/names.ts';
import { qualifiedName, type Column, type ForeignKey, type Table } from '../schema/types.ts';
import type { Mapping, MappingFile } from '../config/mapping.ts';
import type { ModelReport } from './build.ts';
import { isUnique, type DataclassDraft } from './dataclass.ts';
import { freeName } from './naming.ts';
import { isRelation, type Dataclass, type Hop, type Relation } from './types.ts';

type Drafts = ReadonlyMap<string, DataclassDraft>;
type RelationSetting = NonNullable<Mapping['relations']>[string];

/**
 * Adds the relations of all dataclasses: first those to one, which stand on columns, then their inverses, then those that
 * follow a path of relations. A file without a `relations` part gets what its table's foreign keys say.
 */
export function buildRelations(drafts: Drafts, report: ModelReport): void {
  const settings = [...drafts.values()].flatMap((draft) =>
    Object.entries(draft.source.mapping.relations ?? {}).map(([name, setting]) => ({
      draft,
      name,
      setting,
    })),
  );
  for (const { draft, name } of settings) {
    if (draft.members.has(name)) {
      report.problem(
        draft.source,
        ['relations', name],
        `${draft.dataclass.name} already has an attribute ${name}`,
      );
    }
  }
  for (const draft of drafts.values()) {
    if (draft.source.mapping.relations === undefined) deriveRelations(draft, drafts);
  }
  for (const { draft, name, setting } of settings) {
    if ('to' in setting) addToOne(draft, name, setting, drafts, report);
  }
  for (const { draft, name, setting } of settings) {
    if ('inverse' in setting) addInverse(draft, name, setting.inverse, drafts, report);
  }
  for (const { draft, name, setting } of settings) {
    if ('through' in setting) addThrough(draft, name, setting.through, report);
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
function deriveRelations(draft: DataclassDraft, drafts: Drafts): void {
  const { dataclass } = draft;
  for (const foreignKey of dataclass.table.foreignKeys) {
    const target = [...drafts.values()].find(
      ({ dataclass: { table } }) =>
        table.schema === foreignKey.targetSchema && table.name === foreignKey.targetTable,
    );
    if (target === undefined) continue;
    const hop = foreignKeyHop(dataclass.table, foreignKey, target.dataclass.table);
    if (hop === null) continue;
    const name = freeName(lowerFirst(target.dataclass.name), new Set(draft.members.keys()));
    addMember(draft, relation(name, draft, target.dataclass, [hop], null));
    if (target.source.mapping.relations === undefined) {
      const back = freeName(
        `${lowerFirst(dataclass.name)}Collection`,
        new Set(target.members.keys()),
      );
      link(draft, name, target, back);
    }
  }
}

function addToOne(
  draft: DataclassDraft,
  name: string,
  setting: Extract<RelationSetting, { to: string }>,
  drafts: Drafts,
  report: ModelReport,
): void {
  const { source, dataclass } = draft;
  const path = ['relations', name];
  const target = drafts.get(setting.to);
  if (target === undefined) {
    report.problem(
      source,
      [...path, 'to'],
      `there is no dataclass ${setting.to}.${nameHint(setting.to, drafts.keys())}`,
    );
    return;
  }
  const hop =
    'foreignKey' in setting
      ? namedForeignKey(source, path, dataclass.table, setting.foreignKey, target.dataclass, report)
      : columnPairs(source, path, dataclass.table, setting.columns, target.dataclass, report);
  if (hop === null) return;
  const complaint = unfit(hop, target.dataclass);
  if (complaint !== null) {
    report.problem(source, path, complaint);
    return;
  }
  addMember(draft, relation(name, draft, target.dataclass, [hop], null));
}

function namedForeignKey(
  source: MappingFile,
  path: readonly string[],
  table: Table,
  name: string,
  target: Dataclass,
  report: ModelReport,
): Hop | null {
  const foreignKey = table.foreignKeys.find((candidate) => candidate.name === name);
  if (foreignKey === undefined) {
    const known = table.foreignKeys.map((candidate) => candidate.name);
    report.problem(
      source,
      [...path, 'foreignKey'],
      `${qualifiedName(table)} has no foreign key ${name}.${nameHint(name, known)}`,
    );
    return null;
  }
  const hop = foreignKeyHop(table, foreignKey, target.table);
  if (hop === null) {
    report.problem(
      source,
      [...path, 'foreignKey'],
      `foreign key ${name} refers to ${foreignKey.targetSchema}.${foreignKey.targetTable}, ` +
        `not to ${qualifiedName(target.table)} of dataclass ${target.name}`,
    );
  }
  return hop;
}

function foreignKeyHop(table: Table, foreignKey: ForeignKey, target: Table): Hop | null {
  if (foreignKey.targetSchema !== target.schema || foreignKey.targetTable !== target.name) {
    return null;
  }
  const from = pick(table, foreignKey.columns);
  const to = pick(target, foreignKey.targetColumns);
  return from === null || to === null ? null : { table: target, from, to, toMany: false };
}

function pick(table: Table, names: readonly string[]): Column[] | null {
  const columns = names.map((name) => table.columns.find((column) => column.name === name));
  return columns.every((column) => column !== undefined) ? columns : null;
}

function columnPairs(
  source: MappingFile,
  path: readonly string[],
  table: Table,
  pairs: Readonly<Record<string, string>>,
  target: Dataclass,
  report: ModelReport,
): Hop | null {
  const find = (owner: Table, name: string, place: readonly string[]): Column | null => {
    const found = owner.columns.find((column) => column.name === name);
    if (found !== undefined) return found;
    const known = owner.columns.map((column) => column.name);
    report.problem(
      source,
      place,
      `${qualifiedName(owner)} has no column ${name}.${nameHint(name, known)}`,
    );
    return null;
  };
  const from: Column[] = [];
  const to: Column[] = [];
  for (const [here, there] of Object.entries(pairs)) {
    const place = [...path, 'columns', here];
    const left = find(table, here, place);
    const right = find(target.table, there, place);
    if (left === null || right === null) return null;
    from.push(left);
    to.push(right);
  }
  return { table: target.table, from, to, toMany: false };
}

/** What keeps a hop from being a relation to one, in a sentence. */
function unfit(hop: Hop, target: Dataclass): string | null {
  const names = hop.to.map(({ name }) => name);
  const keyed =
    target.key.length > 0 && target.key.every(({ column }) => names.includes(column.name));
  if (!keyed && !isUnique(target.table, names)) {
    return (
      `${names.join(', ')} is not unique in ${qualifiedName(target.table)}, ` +
      'so that a relation to one could find several rows'
    );
  }
  for (const [index, left] of hop.from.entries()) {
    const right = hop.to[index];
    if (right !== undefined && comparable(left) !== comparable(right)) {
      return `column ${left.name} (${left.type.native}) cannot equal ${right.name} (${right.type.native})`;
    }
  }
  return null;
}

/** Columns of one family can be joined without a cast. */
function comparable({ type }: Column): string {
  return ['integer', 'decimal', 'float'].includes(type.kind) ? 'number' : type.kind;
}

function addInverse(
  draft: DataclassDraft,
  name: string,
  inverse: string,
  drafts: Drafts,
  report: ModelReport,
): void {
  const path = ['relations', name, 'inverse'];
  const [first = '', second] = inverse.split('.');
  const owner = second === undefined ? draft : drafts.get(first);
  if (owner === undefined) {
    report.problem(
      draft.source,
      path,
      `there is no dataclass ${first}.${nameHint(first, drafts.keys())}`,
    );
    return;
  }
  const relationName = second ?? first;
  const toOne = owner.members.get(relationName);
  if (toOne?.kind !== 'relatedEntity' || toOne.target !== draft.dataclass) {
    const known = [...owner.members.values()]
      .filter((member) => member.kind === 'relatedEntity' && member.target === draft.dataclass)
      .map((member) => member.name);
    report.problem(
      draft.source,
      path,
      `${owner.dataclass.name} has no relation ${relationName} to one ${draft.dataclass.name}.` +
        nameHint(relationName, known),
    );
    return;
  }
  link(owner, relationName, draft, name);
}

/** Adds the to-many relation `back` that inverts the to-one relation `name`, and tells each of the other. */
function link(owner: DataclassDraft, name: string, target: DataclassDraft, back: string): void {
  const toOne = owner.members.get(name);
  const hop = toOne?.kind === 'relatedEntity' ? toOne.hops[0] : undefined;
  if (toOne?.kind !== 'relatedEntity' || hop === undefined) return;
  addMember(owner, { ...toOne, inverse: back });
  const reversed: Hop = {
    table: owner.dataclass.table,
    from: hop.to,
    to: hop.from,
    toMany: true,
  };
  addMember(target, {
    ...relation(back, target, owner.dataclass, [reversed], name),
    kind: 'relatedEntities',
  });
}

function addThrough(
  draft: DataclassDraft,
  name: string,
  through: readonly string[],
  report: ModelReport,
): void {
  const path = ['relations', name, 'through'];
  let target = draft.dataclass;
  const hops: Hop[] = [];
  for (const [index, step] of through.entries()) {
    const member = target.members.get(step);
    if (member === undefined || !isRelation(member) || member.through !== null) {
      const known = [...target.members.values()].filter(isRelation).map((found) => found.name);
      report.problem(
        draft.source,
        [...path, String(index)],
        `${target.name} has no relation ${step} on columns.${nameHint(step, known)}`,
      );
      return;
    }
    hops.push(...member.hops);
    target = member.target;
  }
  if (!hops.some((hop) => hop.toMany)) {
    report.problem(draft.source, path, 'leads to one entity; a path has to lead to many');
    return;
  }
  addMember(draft, {
    ...relation(name, draft, target, hops, null),
    kind: 'relatedEntities',
    through,
  });
}

function relation(
  name: string,
  { members }: DataclassDraft,
  target: Dataclass,
  hops: readonly Hop[],
  inverse: string | null,
): Relation {
  const columns = new Set(hops.length === 1 && hops[0]?.toMany === false ? hops[0].from : []);
  return {
    kind: 'relatedEntity',
    name,
    target,
    hops,
    inverse,
    foreignKey: [...members.values()]
      .filter((member) => member.kind === 'storage' && columns.has(member.column))
      .map((member) => member.name),
    through: null,
  };
}

function addMember({ members }: DataclassDraft, member: Relation): void {
  members.set(member.name, member);
}

function lowerFirst(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}
