import type { ProtocolError } from '../../base/errors.ts';
import type { DatabaseRefusal, Violation } from '../../database/violation.ts';
import type { Dataclass, Model, Relation } from '../../model/types.ts';
import type { Table } from '../../schema/types.ts';
import { pathBelow } from '../body/nested.ts';
import type { GivenValue } from '../convert/types.ts';
import { explainRefusal } from './violation.ts';
import type { WriteContext } from './attempt.ts';
import type { Element } from './outcome.ts';
import { changeOf } from './write-errors.ts';

/** An entity that is written, and those within it. */
export interface Tree extends Element {
  readonly given?: readonly GivenValue[];
  readonly nested?: readonly {
    readonly relation: Pick<Relation, 'name' | 'kind' | 'target'>;
    readonly entities: readonly Tree[];
  }[];
}

/** Where an entity stands among those that were written together. */
interface Place {
  readonly dataclass: Dataclass;
  readonly entity: Tree;
  /** The entity of the URL's dataclass that it is within. */
  readonly root: Element;
  /** From there down to it: `lines[2].product`; empty for that itself. */
  readonly path: string;
}

/** Why a commit was refused, as far as that is known. */
interface RefusedCommit {
  readonly reason: ProtocolError;
  /** The element that it is about; null where it may be any of several. */
  readonly root: Element | null;
}

/**
 * Why the database refused the commit, where it checks the constraints that are deferred: in the words of the dataclass on whose table the constraint stands, and with the
 * place of the entity. Where several may be the one and the engine does not tell the values, it is the place of their list.
 * @param written all that the transaction wrote
 */
export function refusedCommit(
  refusal: DatabaseRefusal,
  written: readonly Tree[],
  { kind, dataclass, model }: WriteContext,
): RefusedCommit {
  const { violation } = refusal;
  const all = written.flatMap((root) => placesIn({ dataclass, entity: root, root, path: '' }));
  const possible = kind === 'delete' ? [] : standingOn(violation, all, model);
  const named = possible.find((place) => hasValues(place, violation));
  const places = named === undefined ? possible : [named];
  const root = onlyOf(
    (places.length === 0 ? written : places.map((place) => place.root)) as Element[],
  );
  const entity = places.length === 1 ? places[0]?.entity : root;
  const reason = explainRefusal(refusal, {
    kind: changeOf(kind, entity?.key ?? null),
    dataclass: places[0]?.dataclass ?? dataclass,
    model,
  });
  return {
    reason: inPlace(
      reason,
      places.map(({ path }) => path),
    ),
    root,
  };
}

/** An entity and all within it, with their places. */
function placesIn(place: Place): Place[] {
  const below = (place.entity.nested ?? []).flatMap(({ relation, entities }) =>
    entities.flatMap((entity) => {
      const path = pathBelow(place.path, relation.name);
      return placesIn({
        dataclass: relation.target,
        entity,
        root: place.root,
        path: relation.kind === 'relatedEntities' ? `${path}[${entity.index}]` : path,
      });
    }),
  );
  return [place, ...below];
}

/** The places of entities on whose table a constraint stands, or else of those that it refers to from a table that was not written to. */
function standingOn(
  { table: broken, names }: Violation,
  all: readonly Place[],
  model: Model,
): readonly Place[] {
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

/** Whether the engine tells the values that an entity is given for the columns of the constraint. */
function hasValues({ dataclass: { table }, entity }: Place, { names, detail }: Violation): boolean {
  const constraint = [...table.foreignKeys, ...table.indexes].find(({ name }) =>
    names.includes(name),
  );
  if (constraint === undefined || detail === undefined) return false;
  const { columns } = constraint;
  const values = columns.map(
    (name) => entity.given?.find(({ column }) => column.name === name)?.value ?? null,
  );
  return (
    values.every((value) => typeof value === 'string') &&
    detail.includes(`(${columns.join(', ')})=(${values.join(', ')})`)
  );
}

/** A reason with the place that it is about, or with that of the list that all of several stand in. */
function inPlace(reason: ProtocolError, paths: readonly string[]): ProtocolError {
  const path = onlyOf(paths);
  if (path !== null) return path === '' ? reason : reason.inside(path);
  const list = onlyOf(paths.map((text) => text.replaceAll(/\[\d+\]/g, '')));
  return list === null || list === '' ? reason : reason.behind(`${list}: `);
}

/** What all of some are; null where they are several, or none. */
function onlyOf<Item>(items: readonly Item[]): Item | null {
  const [first = null, ...others] = new Set(items);
  return others.length === 0 ? first : null;
}
