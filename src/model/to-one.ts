import { nameHint } from '../base/names.ts';
import {
  findNamed,
  qualifiedName,
  type Column,
  type ForeignKey,
  type Table,
} from '../schema/types.ts';
import type { Mapping, MappingFile } from '../config/mapping.ts';
import type { ModelReport } from './build.ts';
import { isUnique } from './attributes.ts';
import type { DataclassDraft } from './dataclass.ts';
import type { Dataclass, Hop, Relation } from './types.ts';

/** The dataclasses that are being built, by name. */
export type Drafts = ReadonlyMap<string, DataclassDraft>;

/** What a mapping file says of one relation. */
export type RelationSetting = NonNullable<Mapping['relations']>[string];

/** Adds a relation that stands on a foreign key or on pairs of columns. */
export function addToOne(
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
    if (report.isFaulty(setting.to)) return;
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
  // SQL Server's constraint names are not case-sensitive on most servers.
  const foreignKey = findNamed(table.foreignKeys, name, (candidate) => candidate.name, true);
  if (foreignKey === undefined) {
    const known = table.foreignKeys.map((candidate) => candidate.name);
    report.problem(
      source,
      [...path, 'foreignKey'],
      `${qualifiedName(table)} has no foreign key ${name}.${nameHint(name, known)}`,
    );
    return null;
  }
  const hop = foreignKeyHop(table, foreignKey, target);
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

/** The step that a foreign key leads, or null when it leads to another table. */
export function foreignKeyHop(
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

function columnPairs(
  source: MappingFile,
  path: readonly string[],
  table: Table,
  pairs: Readonly<Record<string, string>>,
  target: Dataclass,
  report: ModelReport,
): Hop | null {
  const find = (owner: Table, name: string, place: readonly string[]): Column | null => {
    const found = findNamed(
      owner.columns,
      name,
      (column) => column.name,
      owner.ignoreCase ?? false,
    );
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
  return { target, from, to, toMany: false };
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
    if (right !== undefined && (family(left) === null || family(left) !== family(right))) {
      return `column ${left.name} (${left.type.native}) cannot equal ${right.name} (${right.type.native})`;
    }
  }
  return null;
}

/** Columns of one family can be joined without a cast; null for those that cannot be joined at all. */
function family({ type }: Column): string | null {
  switch (type.kind) {
    case 'integer':
    case 'decimal':
    case 'float':
      return 'number';
    case 'json':
      return null;
    case 'opaque':
      return type.native;
    case 'boolean':
    case 'text':
    case 'uuid':
    case 'date':
    case 'timestamp':
    case 'time':
    case 'binary':
      return type.kind;
  }
}

/** A relation of a dataclass, to one unless it is said otherwise. */
export function relation(
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

/** Adds a relation to a dataclass, or puts it in the place of what has its name. */
export function addMember({ members }: DataclassDraft, member: Relation): void {
  members.set(member.name, member);
}
