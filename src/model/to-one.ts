import { nameHint } from '../base/names.ts';
import type { Mapping } from '../config/mapping.ts';
import { areComparable } from '../schema/type-rules.ts';
import {
  type Column,
  findNamed,
  type ForeignKey,
  qualifiedName,
  type Table,
} from '../schema/types.ts';
import { isUnique } from './attributes.ts';
import {
  addRelation,
  type DataclassDraft,
  type Drafts,
  type MappingContext,
} from './mapping-context.ts';
import type { Dataclass, Hop } from './types.ts';

/** A relation in a mapping file. */
export type RelationSetting = NonNullable<Mapping['relations']>[string];

/** A relation on columns. */
type ToOneSetting = Extract<RelationSetting, { to: string }>;

/** Adds a relation to one, over a foreign key or pairs of columns. */
export function addToOne(
  draft: DataclassDraft,
  name: string,
  setting: ToOneSetting,
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
      : columnPairs(context, [...path, 'columns'], setting.columns, target);
  if (hop === null) return;
  const problem = toOneProblem(hop, target);
  if (problem === null) addRelation(draft, name, target, [hop]);
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
  for (const [index, left] of hop.from.entries()) {
    const right = hop.to[index];
    if (right !== undefined && !areComparable(left.type, right.type)) {
      return `column ${left.name} (${left.type.native}) cannot equal ${right.name} (${right.type.native})`;
    }
  }
  return null;
}
