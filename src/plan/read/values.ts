import { zip } from '../../base/collections.ts';
import { ProtocolError, type TextPosition } from '../../base/errors.ts';
import { noSuchAttribute, wayOf } from '../../model/lookup.ts';
import type { Dataclass, Relation, StorageAttribute } from '../../model/types.ts';
import type { ColumnRef, Condition, Join, JsonProperty, TableSource } from '../../sql/ir/ir.ts';
import { type SelectedValue, valueColumn, type ValueRows } from '../../sql/ir/value-ir.ts';
import type { AttributeNode } from '../../protocol/ast.ts';
import {
  BOOLEAN,
  COUNT,
  FLOAT,
  HOUR_TEXT,
  MADE_TEXT,
  NUMBER,
  partType,
} from '../../schema/type-rules.ts';
import type { Column, ColumnType } from '../../schema/types.ts';
import { checkProperties } from '../condition/comparison.ts';
import { guardReached, joinOf, Scope, walkHops } from '../condition/scope.ts';
import type { SelectedEntities } from './selection.ts';
import { checkDepth, type PlanContext } from '../context.ts';

/** The values of one attribute, or of one property of objects, as the rows of a subquery. */
export interface AttributeValues {
  readonly rows: ValueRows;
  readonly attribute: StorageAttribute;
  /** The path as the request has it: `employer.name`. */
  readonly path: string;
  /** Those whose entities the path goes over, the first one included. */
  readonly dataclasses: readonly Dataclass[];
  /** For messages: `Company.name`, `Employee.extra.level`. */
  readonly name: string;
  readonly columns: ValueColumns;
}

type ValueColumns =
  | { readonly kind: 'attribute'; readonly value: ColumnRef }
  /** Of values of any JSON type: whatever there is, and it again where it is of a type. */
  | {
      readonly kind: 'property';
      readonly any: ColumnRef;
      readonly boolean: ColumnRef;
      readonly text: ColumnRef;
      readonly number: ColumnRef;
    };

/** The selected entities that have the values. */
export type SelectedRows = Pick<ValueRows, 'keyColumns' | 'where' | 'orderBy' | 'window'>;

export const VALUES = 'v';

/** The subquery of the entities that relations to many lead on from. */
const HEAD = 'h';

/** Finds the attribute whose values are asked for. @throws ProtocolError attributeNeeded, or badAttributeList for several */
export function oneAttribute({ named, within, scope }: SelectedEntities): AttributeNode {
  const [node, another] = named ?? [];
  if (another !== undefined) {
    const message = 'A request can read the values of only one attribute';
    throw new ProtocolError('badAttributeList', message, { within, position: another.position });
  }
  if (node === undefined || node.star) {
    const { name } = scope.dataclass;
    const message = `An attribute is needed whose values are meant: ${name}/attribute, or $attributes=attribute`;
    const at = node && { within, position: node.position };
    throw new ProtocolError('attributeNeeded', message, at);
  }
  return node;
}

/** Walks the path of an attribute. Over a relation to many the values are those of all entities it leads to, as often as it leads to each. */
export function planValues(
  node: AttributeNode,
  { scope, within }: SelectedEntities,
  selected: SelectedRows,
  settings: PlanContext,
): AttributeValues {
  const { names, position } = node;
  const at = { within, position };
  const way = wayOf(names, scope.dataclass, (here, name) => {
    const member = here.members.get(name);
    if (member === undefined) throw noSuchAttribute(here, name, at);
    return member;
  });
  const { relations, dataclass, attribute, properties } = way;
  if (attribute === null) {
    const message = `${dataclass.name}.${relations.at(-1)?.name} is a relation and has no value: name an attribute behind it`;
    throw new ProtocolError('attributeNeeded', message, at);
  }
  checkDepth(relations.length, names, settings, at);
  checkProperties(dataclass.name, attribute, properties, at);
  const walk = new ValueWalk(scope);
  walk.along(relations, at);
  const column = walk.here.attribute(attribute);
  const rows = (items: ValueRows['values']): ValueRows => walk.rows(items, selected);
  const name = [dataclass.name, attribute.name, ...properties].join('.');
  const dataclasses = [scope.dataclass, ...relations.map(({ target }) => target)];
  return {
    path: names.join('.'),
    attribute,
    dataclasses,
    name,
    ...valuesOf(column, properties, rows),
  };
}

function valuesOf(
  column: ColumnRef,
  properties: readonly string[],
  rows: (items: ValueRows['values']) => ValueRows,
): Pick<AttributeValues, 'rows' | 'columns'> {
  if (properties.length === 0) {
    const value = valueColumn(VALUES, 0, column.type);
    return { rows: rows([column]), columns: { kind: 'attribute', value } };
  }
  const forms = ['any', 'boolean', 'string', 'number'] as const;
  const property = (as: JsonProperty['as']): JsonProperty => ({
    kind: 'jsonProperty',
    column,
    path: properties,
    as,
  });
  return {
    rows: rows(forms.map(property)),
    columns: {
      kind: 'property',
      any: valueColumn(VALUES, 0, MADE_TEXT),
      boolean: valueColumn(VALUES, 1, BOOLEAN),
      text: valueColumn(VALUES, 2, MADE_TEXT),
      number: valueColumn(VALUES, 3, NUMBER),
    },
  };
}

type ValueJoin = Join<TableSource | ValueRows>;

/** The type of what a subquery for values selects. */
export function selectedType(value: SelectedValue): ColumnType {
  switch (value.kind) {
    case 'column':
    case 'nothing':
      return value.type;
    case 'number':
      return value.operand.type;
    case 'datePart':
      return value.part === 'hour' ? HOUR_TEXT : partType(value.part);
    case 'step':
      return value.operand.type.kind === 'float' ? FLOAT : NUMBER;
    case 'jsonProperty':
      return {
        number: NUMBER,
        boolean: BOOLEAN,
        text: MADE_TEXT,
        string: MADE_TEXT,
        any: MADE_TEXT,
      }[value.as];
    case 'present':
    case 'row':
      return COUNT;
  }
}

/** The way from the selected entities to the values. */
export class ValueWalk {
  here: Scope;
  readonly #start: Scope;
  /** Values of the selected entities, which stand before those at the end of the way. */
  readonly #carried: readonly SelectedValue[];
  /** The columns of the selected entities that the first relation to many leads on from. */
  #head: readonly ColumnRef[] | null = null;
  /** The places behind relations to many, and what is joined to reach them. */
  readonly #stops: { readonly joins: readonly ValueJoin[]; readonly scope: Scope }[] = [];

  constructor(start: Scope, carried: readonly SelectedValue[] = []) {
    this.#start = start;
    this.#carried = carried;
    this.here = start;
  }

  /** @throws ProtocolError notApplicable where the statement would have too many tables */
  along(relations: readonly Relation[], at: TextPosition): void {
    for (const relation of relations) {
      if (relation.kind === 'relatedEntity') this.toOne(relation);
      else {
        this.#start.aliases.addSubquery(relation.hops.length, at);
        this.toMany(relation);
      }
    }
  }

  toOne(relation: Relation): void {
    this.here = this.here.toOne(relation);
  }

  /** Links between the same two entities count once, however many there are. */
  toMany({ hops, target: dataclass }: Relation): void {
    const [first] = hops;
    const last = hops.at(-1) ?? first;
    const { from, guard } = this.#leadingOn(first.from);
    const target = Scope.root(dataclass, this.here.aliases);
    const to = last.to.map((column) => target.column(column));
    const steps = walkHops(hops, this.here, target);
    const joined = {
      type: 'inner',
      table: target.source,
      where: target.restrictionInSubqueries,
    } as const;
    const link = steps[0]?.to;
    const end = steps.at(-1)?.from;
    if (steps.length === 1 || link === undefined || end === undefined) {
      const on = zip(from, to);
      guardReached({ guard }, target, on);
      this.#stop([{ ...joined, on }], target);
      return;
    }
    const near = first.to.map((column) => link.column(column));
    const far = last.from.map((column) => end.column(column));
    const alias = `${target.source.alias}l`;
    const pairs: ValueRows = {
      kind: 'values',
      alias,
      values: [...near, ...far],
      from: link.source,
      keyColumns: null,
      joins: steps.slice(1, -1).map(joinOf),
      where: link.restrictionInSubqueries,
      orderBy: [],
      window: null,
      distinct: true,
    };
    const column = ({ type }: ColumnRef, index: number): ColumnRef =>
      valueColumn(alias, index, type);
    const on = zip(from, near.map(column));
    const reached = zip(
      far.map((one, index) => column(one, near.length + index)),
      to,
    );
    guardReached({ guard }, target, [...on, ...reached]);
    this.#stop(
      [
        { type: 'inner', table: pairs, on, where: null },
        { ...joined, on: reached },
      ],
      target,
    );
  }

  /**
   * The columns that a relation to many leads on from, and the guard of what it leads to; those of the selected entities stand in a subquery, and
   * the guard is a column of it.
   */
  #leadingOn(columns: readonly Column[]): { from: readonly ColumnRef[]; guard: Condition | null } {
    const { guard, source } = this.here;
    const from = columns.map((column) => this.here.column(column));
    if (this.#head !== null) return { from, guard };
    const { alias } = source;
    const met = { kind: 'column', alias, name: '', type: BOOLEAN, nullable: true } as const;
    this.#head = guard === null ? from : [...from, { ...met, expression: ['1'], guard }];
    const inHead = this.#head.map(({ type }, index) => valueColumn(HEAD, index, type));
    const operand = inHead[from.length];
    return {
      from: inHead.slice(0, from.length),
      guard: operand === undefined ? null : { kind: 'isNull', negated: true, operand },
    };
  }

  #stop(joins: readonly ValueJoin[], scope: Scope): void {
    this.#stops.push({ joins, scope });
    this.here = scope;
  }

  /** The subquery of what stands at the end of the way. */
  rows(values: ValueRows['values'], selected: SelectedRows): ValueRows {
    const { source: from, joins } = this.#start;
    const carried = this.#carried;
    if (this.#head === null) {
      return {
        kind: 'values',
        alias: VALUES,
        values: [...carried, ...values],
        from,
        joins,
        ...selected,
      };
    }
    const first = this.#head.length;
    const fromHead = carried.map((value, index) =>
      valueColumn(HEAD, first + index, selectedType(value)),
    );
    const head = [...this.#head, ...carried];
    return {
      kind: 'values',
      alias: VALUES,
      values: [...fromHead, ...values],
      from: { kind: 'values', alias: HEAD, values: head, from, joins, ...selected },
      keyColumns: null,
      joins: this.#stops.flatMap((stop) => [...stop.joins, ...stop.scope.joins]),
      where: null,
      orderBy: [],
      window: null,
    };
  }
}
