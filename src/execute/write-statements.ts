import { LRUCache } from 'lru-cache';
import type { Dataclass, Relation, StorageAttribute } from '../model/types.ts';
import type { ProjectionSettings } from '../plan/projection.ts';
import {
  deleteRowsQuery,
  insertQuery,
  lossQuery,
  planCurrentRows,
  planRelatedRows,
  updateQuery,
  type AssignedColumn,
  type CurrentRowsPlan,
} from '../plan/write-queries.ts';
import type { RowCount, WriteQuery } from '../query/ir.ts';
import type { Column } from '../schema/types.ts';
import type { Dialect, Statement } from '../sql/dialect.ts';

/** How many statements one request shape keeps: bodies name attributes in many combinations. */
const MOST_KEPT = 200;

/** Reads what rows hold before they are changed. */
export interface CurrentRowsStatement {
  readonly plan: CurrentRowsPlan;
  readonly statement: Statement;
}

/** The statements that write entities of one dataclass, each printed when it is first needed. */
export class WriteStatements {
  readonly #dataclass: Dataclass;
  readonly #settings: ProjectionSettings;
  readonly #dialect: Dialect;
  readonly #kept = new LRUCache<string, object>({ max: MOST_KEPT });

  constructor(dataclass: Dataclass, settings: ProjectionSettings, dialect: Dialect) {
    this.#dataclass = dataclass;
    this.#settings = settings;
    this.#dialect = dialect;
  }

  /** @param attributes those whose values address the rows */
  current(
    attributes: readonly StorageAttribute[],
    columns: readonly Column[],
  ): CurrentRowsStatement {
    const by = attributes.map(({ name }) => name);
    return this.#keep(['current', by, names(columns)], () => {
      const plan = planCurrentRows(this.#dataclass, attributes, columns, this.#settings);
      return { plan, statement: this.#dialect.print(plan.query) };
    });
  }

  related(relation: Relation): Statement {
    return this.#keep(['related', relation.name], () =>
      this.#dialect.print(planRelatedRows(relation)),
    );
  }

  insert(columns: readonly AssignedColumn[], rows: RowCount): Statement {
    return this.#keep(['insert', rows, ...columnIds(columns)], () =>
      this.#write(insertQuery(this.#dataclass, columns, rows)),
    );
  }

  update(columns: readonly AssignedColumn[], isStamped: boolean, rows: RowCount): Statement {
    return this.#keep(['update', rows, isStamped, ...columnIds(columns)], () =>
      this.#write(updateQuery(this.#dataclass, columns, isStamped, rows, this.#settings)),
    );
  }

  deleteRows(isStamped: boolean, rows: RowCount): Statement {
    return this.#keep(['delete', rows, isStamped], () =>
      this.#write(deleteRowsQuery(this.#dataclass, isStamped, rows, this.#settings)),
    );
  }

  /** The statement that finds cells which would lose characters; null where no column of the list can. */
  loss(columns: readonly Column[]): Statement | null {
    return this.#keep(['loss', names(columns)], () => ({
      statement: this.#dialect.printWrite(lossQuery(this.#dataclass, columns)),
    })).statement;
  }

  #write(query: WriteQuery): Statement {
    const statement = this.#dialect.printWrite(query);
    if (statement === null) throw new Error(`nothing is printed for ${query.kind}`);
    return statement;
  }

  #keep<Kept extends object>(id: readonly unknown[], make: () => Kept): Kept {
    const key = JSON.stringify(id);
    const known = this.#kept.get(key);
    if (known !== undefined) return known as Kept;
    const made = make();
    this.#kept.set(key, made);
    return made;
  }
}

function names(columns: readonly Column[]): string[] {
  return columns.map(({ name }) => name);
}

function columnIds(
  columns: readonly AssignedColumn[],
): readonly (readonly [string, AssignedColumn['from']])[] {
  return columns.map(({ column, from }) => [column.name, from]);
}
