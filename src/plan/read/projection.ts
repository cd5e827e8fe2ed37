import { zip } from '../../base/collections.ts';
import { notApplicable } from '../../base/errors.ts';
import {
  isRelation,
  isStored,
  type AliasAttribute,
  type StorageAttribute,
  type Dataclass,
  type EngineStamp,
  type Relation,
} from '../../model/types.ts';
import type { ColumnRef, OrderTerm, Output, StampSource, ViaStep } from '../../sql/ir/ir.ts';
import type { Statement } from '../../sql/ir/statement.ts';
import { differingPair, hasOwnOrder, writeOtherwise } from '../../schema/type-rules.ts';
import type { Column, ColumnType, Table } from '../../schema/types.ts';
import type { PlanContext } from '../context.ts';
import type { AttributeTree } from './attribute-tree.ts';
import { Aliases, Scope, walkHops } from '../condition/scope.ts';
import {
  RELATED_PAGE,
  type ChildPlan,
  type EntityShape,
  type FetchPlan,
  type Field,
  type KeyPart,
  type StampField,
  type LinkColumn,
} from '../condition/types.ts';

/** The settings of `config.yaml` that change what is selected. */
export type ProjectionSettings = Pick<PlanContext, 'stampBits'>;

/** PostgreSQL selects at most 1,664 columns, and SQL Server 4,096. */
const MOST_COLUMNS = 1600;

/** The result columns of one statement; what is asked for twice is selected once. */
export class OutputList {
  readonly items: Output[] = [];
  readonly #offset: number;
  readonly #known = new Map<string, number>();

  /** @param offset how many columns the printed statement has before these */
  constructor(offset: number) {
    this.#offset = offset;
  }

  /** @returns the index of the column in the rows */
  add(output: Output): number {
    const id = JSON.stringify(output);
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    if (this.items.length === MOST_COLUMNS) {
      const message = `The answer needs more than ${MOST_COLUMNS} columns at once: ask for fewer attributes of related entities.`;
      throw notApplicable(message);
    }
    const index = this.#offset + this.items.length;
    this.items.push(output);
    this.#known.set(id, index);
    return index;
  }
}

/** Collects, for one statement, the result columns and the children that an attribute tree asks for. */
export class Projection {
  readonly outputs: OutputList;
  readonly children: ChildPlan[] = [];
  readonly #context: PlanContext;

  constructor(offset: number, context: PlanContext) {
    this.outputs = new OutputList(offset);
    this.#context = context;
  }

  /** The plan of what was collected. @param statement selects {@link outputs} */
  fetch(shape: EntityShape, statement: Statement): FetchPlan {
    return { statement, readers: statement.readers, shape, children: this.children };
  }

  /** The shape of the entity that stands in a scope. */
  entity(scope: Scope, tree: AttributeTree): EntityShape {
    const { dataclass } = scope;
    return {
      dataclass,
      key: this.#key(scope),
      stamp: planStamp(scope, this.outputs, this.#context),
      timestamp:
        dataclass.timestamp === null || !dataclass.isTimestampSeen
          ? null
          : this.outputs.add({ kind: 'value', operand: scope.column(dataclass.timestamp) }),
      fields: wanted(dataclass, tree).map((name) => this.#field(scope, name, tree)),
    };
  }

  #key(scope: Scope): KeyPart[] {
    return scope.dataclass.key.map((attribute) => ({
      name: attribute.name,
      type: attribute.columnType,
      column: this.outputs.add({ kind: 'value', operand: scope.column(attribute.column) }),
    }));
  }

  #field(scope: Scope, name: string, tree: AttributeTree): Field {
    const member = scope.dataclass.members.get(name);
    if (member === undefined) throw new Error(`no member ${name}`);
    const inner = tree.members.get(name) ?? null;
    if (!isRelation(member)) {
      const { aliased, owner } = resolved(member, scope);
      const operand = owner.attribute(aliased);
      const { type, trim, simpleDate } = aliased;
      if (type === 'image' || type === 'blob') {
        const column = this.outputs.add({ kind: 'presence', operand });
        return { kind: 'binary', name, column, type };
      }
      const column = this.outputs.add({ kind: 'value', operand });
      return { kind: 'value', name, column, type, trim, simpleDate };
    }
    if (member.kind === 'relatedEntity') {
      return inner === null
        ? this.#deferredEntity(scope, member)
        : this.#entityField(name, scope.toOne(member), inner, member);
    }
    if (inner === null) return { kind: 'deferredSelection', name };
    this.children.push(this.#child(scope, member, inner));
    return { kind: 'selection', name, child: this.children.length - 1 };
  }

  /** Whether there is a related entity is told by its key, or, where it has none, by the column that the relation leads to. */
  #entityField(name: string, target: Scope, tree: AttributeTree, { hops }: Relation): Field {
    const shape = this.entity(target, tree);
    const led = hops.at(-1)?.to[0];
    const present =
      shape.key[0]?.column ??
      (led === undefined ? null : this.outputs.add({ kind: 'value', operand: target.column(led) }));
    if (present === null) throw new Error(`relation ${name} leads nowhere`);
    return { kind: 'entity', name, shape, present };
  }

  /**
   * The target's key stands in this row's own columns when the relation equates it. Else the target is joined; also where not each row that the
   * columns lead to is an entity, and where the columns write the key's numbers in another way.
   */
  #deferredEntity(scope: Scope, relation: Relation): Field {
    const { target, name } = relation;
    const [hop] = relation.hops;
    const local = target.key.map((attribute) => {
      const index = hop.to.findIndex((column) => column.name === attribute.column.name);
      return hop.from[index];
    });
    const isLocal = local.every(
      (column, part) =>
        column !== undefined &&
        !writeOtherwise(column.type, target.key[part]?.columnType ?? column.type),
    );
    if (target.where !== null || !isLocal) {
      return { kind: 'deferredEntity', name, target, key: this.#key(scope.toOne(relation)) };
    }
    const key = target.key.map((attribute, index): KeyPart => {
      const column = local[index];
      if (column === undefined) throw new Error('a key part has no column');
      return {
        name: attribute.name,
        type: column.type,
        column: this.outputs.add({ kind: 'value', operand: scope.column(column) }),
      };
    });
    return { kind: 'deferredEntity', name, target, key };
  }

  #child(scope: Scope, relation: Relation, tree: AttributeTree): ChildPlan {
    const [first] = relation.hops;
    const links = zip(first.from, first.to).map(([column, to]): LinkColumn => ({
      column: this.outputs.add({ kind: 'value', operand: scope.column(column) }),
      pair: differingPair(column.type, to.type),
    }));
    return { links, fetch: planRelated(relation, tree, this.#context) };
  }
}

/** The stored attribute and the scope of its entity: an alias stands for what relations to one lead to. */
function resolved(
  attribute: StorageAttribute | AliasAttribute,
  scope: Scope,
): { readonly aliased: StorageAttribute; readonly owner: Scope } {
  if (attribute.kind !== 'alias') return { aliased: attribute, owner: scope };
  let owner = scope;
  for (const name of attribute.path) {
    const member = owner.dataclass.members.get(name);
    if (member === undefined) break;
    if (isStored(member)) return { aliased: member, owner };
    if (member.kind === 'relatedEntity') owner = owner.toOne(member);
  }
  throw new Error(`alias ${attribute.name} leads nowhere`);
}

/** The names of the fields, in order: all in the model's order, else as the request lists them. */
function wanted(dataclass: Dataclass, tree: AttributeTree): string[] {
  return tree.all ? [...dataclass.members.keys()] : [...tree.members.keys()];
}

/** Result columns that a printed {@link RelatedQuery} has before its outputs: ordinal and count. */
const RELATED_OFFSET = 2;

/** Result columns that a printed keyed query has before its outputs: the ordinal. */
export const KEYED_OFFSET = 1;

/** The query that brings what a to-many relation leads to, for many parents at once. */
function planRelated(relation: Relation, tree: AttributeTree, context: PlanContext): FetchPlan {
  const target = Scope.root(relation.target, new Aliases());
  const [hop, ...others] = relation.hops;
  // The parents are not in the statement: it begins with the table that the first hop leads to.
  const first = others.length > 0 ? Scope.root(hop.target, target.aliases) : target;
  const via = walkHops(others, first, target).map(({ from, on }): ViaStep => ({
    table: from.source,
    on,
    where: from.restrictionInSubqueries,
  }));
  const projection = new Projection(RELATED_OFFSET, context);
  const shape = projection.entity(target, tree);
  const statement = context.printer.print({
    kind: 'related',
    keyColumns: hop.to.map((column) => first.column(column)),
    via,
    outputs: projection.outputs.items,
    from: target.source,
    joins: target.joins,
    where: target.restrictionInSubqueries,
    orderBy: keyOrder(target),
    perKey: RELATED_PAGE,
  });
  return projection.fetch(shape, statement);
}

/** Column types that not every engine can put in an order, but for those with an order of their own. */
const UNORDERED: ReadonlySet<string> = new Set(['json', 'binary', 'opaque']);

function isOrdered(type: ColumnType): boolean {
  return !UNORDERED.has(type.kind) || hasOwnOrder(type);
}

/**
 * The order that makes any page deterministic: by key, else by what is unique, else by all columns that can be ordered. Attributes that are not shown
 * come last: the order reveals nothing of them except between rows that look alike.
 */
export function keyOrder(scope: Scope): OrderTerm[] {
  const { dataclass } = scope;
  const { key, table } = dataclass;
  const term = (column: Column): OrderTerm => ({
    operand: scope.column(column),
    descending: false,
  });
  if (key.length > 0) return key.map(({ column }) => term(column));
  const withheld = withheldColumns(dataclass);
  const unique = uniqueColumns(table);
  if (unique?.some(({ name }) => withheld.has(name)) === false) return unique.map(term);
  const isWithheld = ({ name }: Column): number => (withheld.has(name) ? 1 : 0);
  return table.columns
    .filter(({ type }) => isOrdered(type))
    .sort((a, b) => isWithheld(a) - isWithheld(b))
    .map((column) => ({ ...term(column), tieBreak: true }));
}

/** The columns of attributes that are not shown. */
function withheldColumns({ stored, members }: Dataclass): ReadonlySet<string> {
  return new Set(
    [...stored.values()].filter(({ name }) => !members.has(name)).map(({ column }) => column.name),
  );
}

/** The columns of a unique index, none of which is ever null: where nulls are, rows may share them. */
function uniqueColumns({ indexes, columns }: Table): readonly Column[] | null {
  for (const index of indexes) {
    const found = index.columns.flatMap((name) => columns.find((one) => one.name === name) ?? []);
    const decides =
      index.unique &&
      found.length === index.columns.length &&
      found.every(({ nullable, type }) => !nullable && isOrdered(type));
    if (decides) return found;
  }
  return null;
}

/** Selects what the stamp of the entity in a scope is made of. */
export function planStamp(
  scope: Scope,
  outputs: OutputList,
  { stampBits: bits }: ProjectionSettings,
): StampField {
  const { stamp } = scope.dataclass;
  if (stamp.kind === 'none') return { kind: 'none' };
  if (stamp.kind !== 'hash') {
    const source = stampSource(stamp, scope);
    return { kind: 'column', column: outputs.add({ kind: 'stamp', source, bits }) };
  }
  const columns = stamp.columns.map((column) =>
    outputs.add({ kind: 'value', operand: answeredColumn(scope, column) }),
  );
  return { kind: 'hash', columns, hash: stamp.hash, bits };
}

/** A column as an attribute that stands on it is answered, so that it is selected once for both. */
export function answeredColumn(scope: Scope, column: Column): ColumnRef {
  for (const member of scope.dataclass.members.values()) {
    if (isStored(member) && member.column.name === column.name) return scope.attribute(member);
  }
  return scope.column(column);
}

/** How the engine has a stamp that it can compare itself. */
export function stampSource(stamp: EngineStamp, scope: Scope): StampSource {
  switch (stamp.kind) {
    case 'counter':
      return { kind: 'column', column: scope.column(stamp.column) };
    case 'rowversion':
      return { kind: 'rowversion', column: scope.column(stamp.column) };
    case 'xmin':
      return { kind: 'xmin', alias: scope.source.alias };
  }
}
