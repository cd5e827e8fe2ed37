import type { ProtocolError } from '../../base/errors.ts';
import type { DatabaseRefusal, Violation } from '../../database/errors.ts';
import type { Dataclass, Model, Relation } from '../../model/types.ts';
import type { Table } from '../../schema/types.ts';
import { pathBelow } from '../body/body-entity.ts';
import type { EntityValues } from '../convert/entity-values.ts';
import { explainRefusal } from './violation.ts';
import type { WriteContext } from './attempt.ts';
import type { Element } from './outcome.ts';
import { changeOf } from './write-errors.ts';

/** An element that is written, and those within it. */
export interface Tree extends Element {
  readonly given?: EntityValues;
  readonly nested?: readonly {
    readonly relation: Pick<Relation, 'name' | 'kind' | 'target'>;
    readonly entities: readonly Tree[];
  }[];
}

/** Where an entity stands among those that were written together. */
interface EntityPosition {
  readonly dataclass: Dataclass;
  readonly entity: Tree;
  /** The entity of the URL's dataclass that holds it. */
  readonly root: Element;
  /** The path from there: `lines[2].product`; empty for the root. */
  readonly path: string;
}

/** Explains why a deferred constraint refused a commit, with the path of the entity at fault; of its list, and `root` null, for several. */
export function refusedCommit(
  refusal: DatabaseRefusal,
  written: readonly Tree[],
  { kind, dataclass, model }: WriteContext,
): { readonly reason: ProtocolError; readonly root: Element | null } {
  const { violation } = refusal;
  const all = written.flatMap((root) => positionsIn({ dataclass, entity: root, root, path: '' }));
  const possible = kind === 'delete' ? [] : standingOn(violation, all, model);
  const named = possible.find((position) => hasValues(position, violation));
  const positions = named === undefined ? possible : [named];
  const root = onlyOf(
    (positions.length === 0 ? written : positions.map((position) => position.root)) as Element[],
  );
  const entity = positions.length === 1 ? positions[0]?.entity : root;
  const reason = explainRefusal(refusal, {
    kind: changeOf(kind, entity?.key ?? null),
    dataclass: positions[0]?.dataclass ?? dataclass,
    model,
  });
  return {
    reason: atPaths(
      reason,
      positions.map(({ path }) => path),
    ),
    root,
  };
}

function positionsIn(position: EntityPosition): EntityPosition[] {
  const below = (position.entity.nested ?? []).flatMap(({ relation, entities }) =>
    entities.flatMap((entity) => {
      const path = pathBelow(position.path, relation.name);
      return positionsIn({
        dataclass: relation.target,
        entity,
        root: position.root,
        path: relation.kind === 'relatedEntities' ? `${path}[${entity.index}]` : path,
      });
    }),
  );
  return [position, ...below];
}

/** The entities whose table has the constraint; otherwise those whose table it refers to, from a table that was not written. */
function standingOn(
  { table: broken, names }: Violation,
  all: readonly EntityPosition[],
  model: Model,
): readonly EntityPosition[] {
  if (broken === undefined) return [];
  const own = all.filter(({ dataclass }) => isTable(dataclass.table, broken));
  if (own.length > 0) return own;
  const referredTo = [...model.dataclasses.values()]
    .filter(({ table }) => isTable(table, broken))
    .flatMap(({ table }) => table.foreignKeys)
    .filter(({ name }) => names.includes(name))
    .map(({ targetSchema: schema, targetTable: name }) => ({ schema, name }));
  return all.filter(({ dataclass }) =>
    referredTo.some((target) => isTable(dataclass.table, target)),
  );
}

type TableName = Pick<Table, 'schema' | 'name'>;

function isTable(table: TableName, { schema, name }: TableName): boolean {
  return table.schema === schema && table.name === name;
}

/** Whether the values that the engine tells for the constraint's columns are those of an entity. */
function hasValues(
  { dataclass: { table }, entity }: EntityPosition,
  { names, detail }: Violation,
): boolean {
  const constraint = [...table.foreignKeys, ...table.indexes].find(({ name }) =>
    names.includes(name),
  );
  if (constraint === undefined || detail === undefined) return false;
  const { columns } = constraint;
  const values = columns.map((name) => entity.given?.of(name) ?? null);
  return (
    values.every((value) => typeof value === 'string') &&
    detail.includes(`(${columns.join(', ')})=(${values.join(', ')})`)
  );
}

/** A reason with the position that it is about, or with the list that holds all possible positions. */
function atPaths(reason: ProtocolError, paths: readonly string[]): ProtocolError {
  const path = onlyOf(paths);
  if (path !== null) return path === '' ? reason : reason.inside(path);
  const list = onlyOf(paths.map((text) => text.replaceAll(/\[\d+\]/g, '')));
  return list === null || list === '' ? reason : reason.behind(`${list}: `);
}

/** The item that all are equal to; null where they differ, and of none. */
function onlyOf<Item>(items: readonly Item[]): Item | null {
  const [first = null, ...others] = new Set(items);
  return others.length === 0 ? first : null;
}
