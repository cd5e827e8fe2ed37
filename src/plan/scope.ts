import type { Column, Table } from '../schema/types.ts';
import type { ColumnRef, Join, TableSource } from '../query/ir.ts';
import { TableCounter } from './paths.ts';
import type { Dataclass, Hop, Relation, StorageAttribute } from '../model/types.ts';

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

/**
 * A dataclass at one place of a statement: its table's alias, and what has been joined to it. Paths that walk the same
 * to-one relation share its join, whether they filter, sort or select.
 */
export class Scope {
  readonly dataclass: Dataclass;
  readonly source: TableSource;
  /** The joins of this scope and all below it, in the order in which they can be printed. */
  readonly joins: Join[];
  readonly aliases: Aliases;
  readonly #joined: boolean;
  readonly #toOne = new Map<string, Scope>();

  private constructor(
    dataclass: Dataclass,
    source: TableSource,
    aliases: Aliases,
    joins: Join[],
    joined: boolean,
  ) {
    this.dataclass = dataclass;
    this.source = source;
    this.aliases = aliases;
    this.joins = joins;
    this.#joined = joined;
  }

  /** The scope that a statement, or a subquery of one, begins with. */
  static root(dataclass: Dataclass, aliases: Aliases): Scope {
    return new Scope(dataclass, aliases.source(dataclass.table), aliases, [], false);
  }

  column(column: Column, type = column.type): ColumnRef {
    return {
      kind: 'column',
      alias: this.source.alias,
      name: column.name,
      type,
      nullable: column.nullable || this.#joined,
    };
  }

  attribute(attribute: StorageAttribute): ColumnRef {
    return this.column(attribute.column, attribute.columnType);
  }

  /** The scope of the entity that a to-one relation leads to: a left join, so that none is a row of nulls. */
  toOne(relation: Relation): Scope {
    const known = this.#toOne.get(relation.name);
    if (known !== undefined) return known;
    const [hop] = relation.hops;
    if (hop === undefined) throw new Error(`relation ${relation.name} has no hop`);
    const table = this.aliases.source(hop.table);
    this.joins.push({ type: 'left', table, on: hopPairs(hop, this.source.alias, table.alias) });
    const scope = new Scope(relation.target, table, this.aliases, this.joins, true);
    this.#toOne.set(relation.name, scope);
    return scope;
  }
}

/** The pairs of columns that a hop equates, between the aliases of its two tables. */
export function hopPairs(hop: Hop, from: string, to: string): (readonly [ColumnRef, ColumnRef])[] {
  return hop.from.map((left, index) => {
    const right = hop.to[index];
    if (right === undefined) throw new Error('a hop has columns on one side only');
    return [reference(left, from), reference(right, to)] as const;
  });
}

function reference(column: Column, alias: string): ColumnRef {
  return { kind: 'column', alias, name: column.name, type: column.type, nullable: column.nullable };
}
