import { zip } from '../../base/collections.ts';
import type { Column, Table } from '../../schema/types.ts';
import type {
  ColumnRef,
  Condition,
  Join,
  KeyedQuery,
  SelectQuery,
  TableSource,
} from '../../sql/ir/ir.ts';
import { allOf } from './comparison.ts';
import { planRestriction } from './filter.ts';
import type { Dataclass, Hop, Relation, Restriction, StorageAttribute } from '../../model/types.ts';
import { notApplicable, type TextPosition } from '../../base/errors.ts';

/** Planning and running grow steeply with the tables of a statement: one short URL must not keep the database busy for minutes. */
const MOST_TABLES = 100;
const MOST_SUBQUERY_TABLES = 24;
const MOST_RESTRICTION_TABLES = 400;

/** Gives the tables of one statement their aliases: `t0`, `t1`, … */
export class Aliases {
  /** Gives tables that restrictions need their aliases: they do not count among those of the request. */
  readonly ofRestrictions: Aliases;
  readonly #given: { count: number };
  #tables = 0;
  #inSubqueries = 0;

  constructor(ofRequest?: Aliases) {
    this.#given = ofRequest === undefined ? { count: 0 } : ofRequest.#given;
    this.ofRestrictions = ofRequest === undefined ? new Aliases(this) : this;
  }

  /** @throws ProtocolError notApplicable when the statement would have too many tables */
  source(table: Table): TableSource {
    const [walker, most] =
      this === this.ofRestrictions
        ? ['The filters of what you may see walk', MOST_RESTRICTION_TABLES]
        : ['The request walks', MOST_TABLES];
    this.#tables += 1;
    if (this.#tables > most) {
      throw notApplicable(`${walker} over more than ${most} relations at once.`);
    }
    const alias = `t${this.#given.count}`;
    this.#given.count += 1;
    const { schema, name, isInherited } = table;
    return { schema, name, alias, ...(isInherited === true ? { only: true } : {}) };
  }

  /** Counts tables in subqueries of the request's conditions. @throws ProtocolError notApplicable when there are too many */
  addSubquery(tables: number, at: TextPosition): void {
    this.#inSubqueries += tables;
    if (this.#inSubqueries > MOST_SUBQUERY_TABLES) {
      const message = `The conditions walk over more than ${MOST_SUBQUERY_TABLES} relations to many and behind them`;
      throw notApplicable(message, at);
    }
  }
}

/** A table of a statement, with all that is joined to it. */
interface OpenTable {
  readonly source: TableSource;
  readonly where: Restriction | null;
  readonly joins: Join[];
  /** The columns by which it is joined, and may have no row; null for a table that is not joined. */
  readonly joinedOn: Join['on'] | null;
  /** The tables that relations to one lead to, by the relations' names. */
  readonly toOne: Map<string, OpenTable[]>;
  /**
   * The condition by which computed columns are null for rows that `where` leaves out; undefined until it is planned. All other tables are in its
   * subqueries: if it named a joined table, an engine could compute a hidden row's column on a pair with a row that does not belong to it.
   */
  guard?: Condition | null;
}

/**
 * A dataclass in a statement, with its alias and its joins, which paths share. Only a scope opens tables: it restricts those that it joins or asks for by EXISTS. A
 * plan that begins with a root has to add {@link restrictionByJoins}, or {@link restrictionInSubqueries}, to its own conditions.
 */
export class Scope {
  readonly dataclass: Dataclass;
  readonly aliases: Aliases;
  readonly #table: OpenTable;
  /** Computed columns are null for rows that this leaves out; null where they are computed for all rows. */
  readonly #guardedBy: Restriction | null;
  /** What is planned of a restriction other than the table's own. */
  #ownGuard: Condition | null = null;
  #reachedWhere: () => Condition | null = () => null;

  private constructor(
    dataclass: Dataclass,
    table: OpenTable,
    aliases: Aliases,
    guardedBy = table.where,
  ) {
    this.dataclass = dataclass;
    this.aliases = aliases;
    this.#table = table;
    this.#guardedBy = guardedBy;
  }

  /** The scope that a statement, or a subquery of one, begins with. */
  static root(dataclass: Dataclass, aliases: Aliases): Scope {
    const { table, where } = dataclass;
    const source = aliases.source(table);
    const opened = { source, where, joins: [], joinedOn: null, toOne: new Map() };
    return new Scope(dataclass, opened, aliases);
  }

  get source(): TableSource {
    return this.#table.source;
  }

  /** The joins of this scope and all below it, in the order in which they can be printed. */
  get joins(): readonly Join[] {
    return this.#table.joins;
  }

  column(column: Column, type = column.type): ColumnRef {
    const { source, joinedOn } = this.#table;
    const { name, expression } = column;
    const nullable = column.nullable || joinedOn !== null;
    const plain = { kind: 'column', alias: source.alias, name, type, nullable } as const;
    if (expression === undefined) return plain;
    const guard = this.guard;
    return {
      ...plain,
      expression,
      ...(this.aliases.ofRestrictions === this.aliases ? {} : { computes: this.#named(column) }),
      ...(guard === null ? {} : { guard }),
    };
  }

  #named({ name }: Column): string {
    return `${this.dataclass.name}.${name.slice(1)}`;
  }

  /** The condition on rows to be entities, with all other tables in subqueries; null when each row is one. */
  get restrictionInSubqueries(): Condition | null {
    const condition = this.#planned(false);
    this.#table.guard = condition;
    return condition;
  }

  /** The condition on rows to be entities for a statement that prints the joins of this scope: relations to one are among them. */
  get restrictionByJoins(): Condition | null {
    return this.#planned(true);
  }

  /**
   * The condition by which computed columns are null: for rows that are not entities, and for those to which no entity leads. An engine may compute
   * a column before it looks at the other conditions of a statement, and an error would tell of rows that these leave out.
   */
  get guard(): Condition | null {
    const reached = this.#reachedWhere();
    const own = this.#ownRowGuard;
    return reached === null ? own : allOf([reached, own]);
  }

  get #ownRowGuard(): Condition | null {
    const { guard, where } = this.#table;
    const restriction = this.#guardedBy;
    if (restriction === null) return null;
    if (restriction !== where) {
      return (this.#ownGuard ??= planRestriction(restriction, this.#forRestriction(null)));
    }
    return guard === undefined ? this.restrictionInSubqueries : guard;
  }

  #planned(isJoined: boolean): Condition | null {
    const { where } = this.#table;
    // The restriction guards computed columns, but not its own.
    const place = this.#forRestriction(null);
    return where === null ? null : planRestriction(where, place, { isJoined });
  }

  /** That the rows of this scope meet a restriction. */
  meeting(restriction: Restriction): Condition {
    return planRestriction(restriction, this.#forRestriction(this.#table.where));
  }

  /** The same table for paths of a restriction. */
  #forRestriction(guardedBy: Restriction | null): Scope {
    return new Scope(this.dataclass, this.#table, this.aliases.ofRestrictions, guardedBy);
  }

  /** The same table, whose computed columns are null for rows that a restriction leaves out as well. */
  behind(restriction: Restriction): Scope {
    const items = [this.#guardedBy, restriction].filter((item) => item !== null);
    return new Scope(this.dataclass, this.#table, this.aliases, { kind: 'all', items });
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
  toOne({ name, hops: [hop] }: Relation): Scope {
    const { target } = hop;
    const { table, where } = target;
    const { joins, toOne } = this.#table;
    const known = toOne.get(name) ?? [];
    const same = known.find((one) => one.where === where);
    if (same !== undefined) return this.#joined(target, same);
    const source = this.aliases.source(table);
    const joinedOn = hopPairs(hop, this, { source });
    const opened = { source, where, joins, joinedOn, toOne: new Map() };
    const scope = this.#joined(target, opened);
    joins.push({ type: 'left', table: source, on: joinedOn, where: scope.restrictionInSubqueries });
    toOne.set(name, [...known, opened]);
    return scope;
  }

  #joined(target: Dataclass, table: OpenTable): Scope {
    const scope = new Scope(target, table, this.aliases);
    // Whatever an expression makes of nulls, it is null where there is no entity.
    scope.reachedWhere(() => allOf([this.guard, ...(table.joinedOn ?? []).map(equalColumns)]));
    return scope;
  }

  /** Adds to the condition by which computed columns are null. @param condition is planned when a computed column is */
  reachedWhere(condition: () => Condition | null): void {
    this.#reachedWhere = condition;
  }

  /** `EXISTS` over the hops of a relation. @param condition is given the place where it ends, and all places on the way, too */
  exists(
    { hops, target: dataclass }: Relation,
    condition: (target: Scope, stops: readonly Scope[]) => Condition,
  ): Condition {
    const target = Scope.root(dataclass, this.aliases);
    const [first, ...others] = walkHops(hops, this, target);
    if (first === undefined) throw new Error('a relation has no hop');
    for (const { from, to, on } of [first, ...others]) guardReached(from, to, on);
    const stops = [first, ...others].map(({ to }) => to);
    const { restrictionInSubqueries: restriction } = first.to;
    const end = condition(target, [this, ...stops]);
    const items = [
      ...first.on.map(equalColumns),
      ...(restriction === null ? [] : [restriction]),
      end,
    ];
    return {
      kind: 'exists',
      from: first.to.source,
      joins: [...others.map(joinOf), ...target.joins],
      where: { kind: 'and', items },
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

/** Has computed columns be null for rows to which no entity leads; where all rows that could lead to them are entities, none tells of another. */
export function guardReached(from: Pick<Scope, 'guard'>, to: Scope, on: Join['on']): void {
  to.reachedWhere(() => {
    const { guard } = from;
    return guard === null ? null : allOf([guard, ...on.map(equalColumns)]);
  });
}

/** The join of the scope that a hop leads to. */
export function joinOf({ to, on }: HopStep): Join {
  return { type: 'inner', table: to.source, on, where: to.restrictionInSubqueries };
}

export function equalColumns([left, right]: readonly [ColumnRef, ColumnRef]): Condition {
  return { kind: 'compare', operator: '=', left: right, right: left };
}

type Sourced = Pick<Scope, 'source'>;

function hopPairs(hop: Hop, from: Sourced, to: Sourced): Join['on'] {
  return zip(hop.from, hop.to).map(([left, right]) => [
    reference(left, from),
    reference(right, to),
  ]);
}

function reference(column: Column, { source: { alias } }: Sourced): ColumnRef {
  return { kind: 'column', alias, name: column.name, type: column.type, nullable: column.nullable };
}
