import { zip } from '../../base/collections.ts';
import type { Column, ColumnType, Expression, Table } from '../../schema/types.ts';
import type {
  ColumnRef,
  Condition,
  Join,
  KeyedQuery,
  SelectQuery,
  TableSource,
} from '../../sql/ir/ir.ts';
import { planRestriction } from './restriction.ts';
import type { Dataclass, Hop, Relation, Restriction, StorageAttribute } from '../../model/types.ts';
import { notApplicable, type TextPosition } from '../../base/errors.ts';
import type { PlanContext } from '../context.ts';

/** Refuses a path over too many relations. @param walked how many are known @throws ProtocolError notApplicable */
export function checkDepth(
  walked: number,
  names: readonly string[],
  { limits: { maxExpandDepth } }: PlanContext,
  at: TextPosition,
): void {
  if (walked <= maxExpandDepth) return;
  const message = `${names.join('.')} goes over more than ${maxExpandDepth} ${maxExpandDepth === 1 ? 'relation' : 'relations'}`;
  throw notApplicable(message, at);
}

/** Planning and running grow steeply with the tables of a statement: one short URL must not keep the database busy for minutes. */
const MOST_TABLES = 100;
const MOST_SUBQUERY_TABLES = 24;

class TableCounter {
  #all = 0;
  #inSubqueries = 0;

  /** @throws ProtocolError notApplicable when the statement would have too many */
  add(): void {
    this.#all += 1;
    if (this.#all > MOST_TABLES) {
      throw notApplicable(`The request walks over more than ${MOST_TABLES} relations at once.`);
    }
  }

  /** @throws ProtocolError notApplicable when the conditions walk over too many relations to many */
  addSubquery(tables: number, at: TextPosition): void {
    this.#inSubqueries += tables;
    if (this.#inSubqueries > MOST_SUBQUERY_TABLES) {
      const message = `The conditions walk over more than ${MOST_SUBQUERY_TABLES} relations to many and behind them`;
      throw notApplicable(message, at);
    }
  }
}

/** Gives the tables of one statement their aliases: `t0`, `t1`, … */
export class Aliases {
  readonly tables = new TableCounter();
  #count = 0;

  source(table: Table): TableSource {
    this.tables.add();
    const alias = `t${this.#count}`;
    this.#count += 1;
    return { schema: table.schema, name: table.name, alias };
  }
}

/** A dataclass in a statement, with its alias and its joins, which paths share. Only a scope opens tables, so that restrictions are applied. */
export class Scope {
  readonly dataclass: Dataclass;
  readonly source: TableSource;
  /** The joins of this scope and all below it, in the order in which they can be printed. */
  readonly joins: Join[];
  readonly aliases: Aliases;
  /** The column that is null when a joined scope has no entity; null for a scope that is not joined. */
  readonly #joinedBy: Column | null;
  readonly #toOne = new Map<string, Scope>();

  private constructor(
    dataclass: Dataclass,
    source: TableSource,
    aliases: Aliases,
    joins: Join[],
    joinedBy: Column | null,
  ) {
    this.dataclass = dataclass;
    this.source = source;
    this.aliases = aliases;
    this.joins = joins;
    this.#joinedBy = joinedBy;
  }

  /** The scope that a statement, or a subquery of one, begins with. */
  static root(dataclass: Dataclass, aliases: Aliases): Scope {
    return new Scope(dataclass, aliases.source(dataclass.table), aliases, [], null);
  }

  column(column: Column, type = column.type): ColumnRef {
    const plain = this.#unguarded(column, type);
    const guard = plain.expression === undefined ? null : this.restriction;
    return guard === null ? plain : { ...plain, guard };
  }

  #unguarded(column: Column, type: ColumnType): ColumnRef {
    return {
      kind: 'column',
      alias: this.source.alias,
      name: column.name,
      type,
      nullable: column.nullable || this.#joinedBy !== null,
      ...(column.expression === undefined ? {} : { expression: this.#ofEntity(column.expression) }),
    };
  }

  /** A computed column is null when there is no entity, whatever the expression makes of nulls. */
  #ofEntity(expression: Expression): Expression {
    if (this.#joinedBy === null) return expression;
    const { name } = this.#joinedBy;
    return ['CASE WHEN ', { column: name }, ' IS NOT NULL THEN ', ...expression, ' END'];
  }

  /** The condition on rows to be entities; null when each row is one. */
  get restriction(): Condition | null {
    const { where } = this.dataclass;
    if (where === null) return null;
    // The restriction guards computed columns, but not its own.
    return planRestriction(where, {
      scope: this,
      column: ({ column, columnType }) => this.#unguarded(column, columnType),
    });
  }

  /** That the rows of this scope meet a restriction. */
  meeting(restriction: Restriction): Condition {
    return planRestriction(restriction, {
      scope: this,
      column: (attribute) => this.attribute(attribute),
    });
  }

  /** The restriction as a list of one condition or none. */
  get restrictions(): readonly Condition[] {
    const { restriction } = this;
    return restriction === null ? [] : [restriction];
  }

  /** Selects from this scope and all that is joined to it; in no order and without a window, if the query names none. */
  select(query: Pick<SelectQuery, 'outputs' | 'where'> & Partial<SelectQuery>): SelectQuery {
    const { source: from, joins } = this;
    return { kind: 'select', from, joins, orderBy: [], window: null, ...query };
  }

  /** Selects rows of this scope by keys that arrive as one parameter; in no order, if the query names none. */
  keyed(query: Pick<KeyedQuery, 'outputs' | 'where'> & Partial<KeyedQuery>): KeyedQuery {
    const { source: from, joins, keyColumns } = this;
    return { kind: 'keyed', keyColumns, from, joins, orderBy: [], ...query };
  }

  get keyColumns(): readonly ColumnRef[] {
    return this.dataclass.key.map(({ column }) => this.column(column));
  }

  attribute(attribute: StorageAttribute): ColumnRef {
    return this.column(attribute.column, attribute.columnType);
  }

  /** The scope of the entity that a to-one relation leads to: a left join, so that none is a row of nulls. */
  toOne(relation: Relation): Scope {
    const known = this.#toOne.get(relation.name);
    if (known !== undefined) return known;
    const [hop] = relation.hops;
    const [joinedBy] = hop.to;
    if (joinedBy === undefined) throw new Error(`relation ${relation.name} has no columns`);
    const table = this.aliases.source(hop.target.table);
    const scope = new Scope(hop.target, table, this.aliases, this.joins, joinedBy);
    const on = hopPairs(hop, this, scope);
    this.joins.push({ type: 'left', table, on, where: scope.restriction });
    this.#toOne.set(relation.name, scope);
    return scope;
  }

  /** `EXISTS` over the hops of a relation. @param condition is given the place where it ends, and all places on the way, too */
  exists(
    { hops, target: dataclass }: Relation,
    condition: (target: Scope, stops: readonly Scope[]) => Condition,
  ): Condition {
    const target = Scope.root(dataclass, this.aliases);
    const [first, ...others] = walkHops(hops, this, target);
    if (first === undefined) throw new Error('a relation has no hop');
    const stops = [first, ...others].map(({ to }) => to);
    const where = condition(target, [this, ...stops]);
    return {
      kind: 'exists',
      from: first.to.source,
      joins: [...others.map(joinOf), ...target.joins],
      where: {
        kind: 'and',
        items: [...first.on.map(equalColumns), ...first.to.restrictions, where],
      },
    };
  }
}

/** A hop between two places of a statement, with the columns that it equates. */
interface HopStep {
  readonly from: Scope;
  readonly to: Scope;
  readonly on: Join['on'];
}

/** Walks hops from one scope to another, and opens the tables between them. */
export function walkHops(hops: readonly Hop[], start: Scope, target: Scope): HopStep[] {
  const links = hops.slice(0, -1).map((hop) => Scope.root(hop.target, target.aliases));
  return hops.map((hop, index) => {
    const from = links[index - 1] ?? start;
    const to = links[index] ?? target;
    return { from, to, on: hopPairs(hop, from, to) };
  });
}

/** The join of the scope that a hop leads to. */
export function joinOf({ to, on }: HopStep): Join {
  return { type: 'inner', table: to.source, on, where: to.restriction };
}

export function equalColumns([left, right]: readonly [ColumnRef, ColumnRef]): Condition {
  return { kind: 'compare', operator: '=', left: right, right: left };
}

function hopPairs(hop: Hop, from: Scope, to: Scope): Join['on'] {
  return zip(hop.from, hop.to).map(([left, right]) => [
    reference(left, from),
    reference(right, to),
  ]);
}

function reference(column: Column, { source: { alias } }: Scope): ColumnRef {
  return { kind: 'column', alias, name: column.name, type: column.type, nullable: column.nullable };
}
