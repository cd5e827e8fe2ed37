import type { LRUCache } from 'lru-cache';
import { byteCache, memoize } from '../../../base/cache.ts';
import type { Dataclass, Relation, StorageAttribute } from '../../../model/types.ts';
import type { ProjectionSettings } from '../../../plan/read/projection.ts';
import {
  deleteRowsQuery,
  directUpdateQuery,
  insertQuery,
  unencodableQuery,
  planCurrentRows,
  planOwnedRows,
  planReferredRows,
  planRelatedRows,
  touchQuery,
  updateQuery,
  type AssignedColumn,
  type CurrentRowsPlan,
} from '../../../plan/write/write-queries.ts';
import type { KeyedQuery, RowCount, RowLock } from '../../../sql/ir/ir.ts';
import type { Column } from '../../../schema/types.ts';
import type { Dialect, Statement } from '../../../sql/dialect.ts';
import { statementBytes } from '../../read/size.ts';

/** Reads what rows hold before they are changed. */
export interface CurrentRowsStatement {
  readonly plan: CurrentRowsPlan;
  readonly statement: Statement;
}

/** A printed statement; null where there is nothing to run. */
interface Printed {
  readonly statement: Statement | null;
}

/** What has been printed for all dataclasses; bodies name attributes in many combinations, so that it is bounded. */
interface PrintedStatements {
  readonly current: LRUCache<string, CurrentRowsStatement>;
  readonly others: LRUCache<string, Printed>;
}

/**
 * The statements that write entities, each printed when it is first needed and kept for all requests, whatever their URLs. What
 * has not been used for longest goes first.
 */
export class WriteStatementStore {
  readonly #settings: ProjectionSettings;
  readonly #dialect: Dialect;
  readonly #printed: PrintedStatements;
  /** Dataclasses of one name differ by who sees them. */
  readonly #ids = new WeakMap<Dataclass, number>();
  #count = 0;

  /** @param maxBytes about how much memory they may take */
  constructor(settings: ProjectionSettings, dialect: Dialect, maxBytes: number) {
    this.#settings = settings;
    this.#dialect = dialect;
    const half = Math.ceil(maxBytes / 2);
    const bytesOf = ({ statement }: Printed): number => statementBytes(statement);
    this.#printed = {
      current: byteCache<CurrentRowsStatement>(half, bytesOf),
      others: byteCache<Printed>(half, bytesOf),
    };
  }

  /** Those that write entities of one dataclass. */
  of(dataclass: Dataclass): WriteStatements {
    return new WriteStatements(
      dataclass,
      this.#idOf(dataclass),
      this.#settings,
      this.#dialect,
      this.#printed,
    );
  }

  #idOf(dataclass: Dataclass): number {
    const known = this.#ids.get(dataclass);
    if (known !== undefined) return known;
    this.#count += 1;
    this.#ids.set(dataclass, this.#count);
    return this.#count;
  }
}

/** The statements that write entities of one dataclass. */
export class WriteStatements {
  readonly #dataclass: Dataclass;
  readonly #id: number;
  readonly #settings: ProjectionSettings;
  readonly #dialect: Dialect;
  readonly #printed: PrintedStatements;

  /** For {@link WriteStatementStore.of}. */
  constructor(
    dataclass: Dataclass,
    id: number,
    settings: ProjectionSettings,
    dialect: Dialect,
    printed: PrintedStatements,
  ) {
    this.#dataclass = dataclass;
    this.#id = id;
    this.#settings = settings;
    this.#dialect = dialect;
    this.#printed = printed;
  }

  /**
   * @param attributes those whose values address the rows
   * @param lock what the rows are locked for; null where they are not
   * @param comparison whether those are compared as their columns compare, or in one case
   */
  current(
    attributes: readonly StorageAttribute[],
    columns: readonly Column[],
    lock: RowLock | null,
    comparison: 'exact' | 'folded',
  ): CurrentRowsStatement {
    const key = this.#key(
      attributes.map(({ name }) => name),
      names(columns),
      lock,
      comparison,
    );
    return memoize(this.#printed.current, key, () => {
      const plan = planCurrentRows(
        this.#dataclass,
        attributes,
        columns,
        lock,
        comparison,
        this.#settings,
      );
      return { plan, statement: this.#dialect.print(plan.query) };
    });
  }

  related(relation: Relation): Statement {
    return this.#needed(['related', relation.name], () =>
      this.#dialect.print(planRelatedRows(relation)),
    );
  }

  referred(relation: Relation): Statement {
    return this.#needed(['referred', relation.name], () =>
      this.#dialect.print(planReferredRows(relation)),
    );
  }

  owned(relation: Relation): Statement {
    return this.#needed(['owned', relation.name], () =>
      this.#dialect.print(planOwnedRows(relation)),
    );
  }

  insert(columns: readonly AssignedColumn[], rows: RowCount): Statement {
    return this.#needed(['insert', rows, ...columnIds(columns)], () =>
      this.#dialect.printWrite(insertQuery(this.#dataclass, columns, rows)),
    );
  }

  update(columns: readonly AssignedColumn[], isStamped: boolean, rows: RowCount): Statement {
    return this.#needed(['update', rows, isStamped, ...columnIds(columns)], () =>
      this.#dialect.printWrite(
        updateQuery(this.#dataclass, columns, isStamped, rows, this.#settings),
      ),
    );
  }

  /**
   * The statement that changes one row and tells what it holds then.
   * @param own what tells that, where it is asked for by keys, and its query
   * @param unlocked whether the row is left alone where another session has locked it
   */
  updateDirectly(
    columns: readonly AssignedColumn[],
    own: { readonly query: KeyedQuery; readonly statement: Statement },
    unlocked: boolean,
  ): Statement | null {
    return this.#print(['direct', unlocked, own.statement.name, ...columnIds(columns)], () => {
      const query = directUpdateQuery(
        this.#dataclass,
        columns,
        own.query,
        unlocked,
        this.#settings,
      );
      return this.#dialect.printDirectUpdate(query);
    });
  }

  /** The statement that makes new versions of rows; null where that cannot be. */
  touch(rows: RowCount): Statement | null {
    return this.#print(['touch', rows], () => {
      const query = touchQuery(this.#dataclass, rows, this.#settings);
      return query === null ? null : this.#dialect.printWrite(query);
    });
  }

  deleteRows(isStamped: boolean, rows: RowCount): Statement {
    return this.#needed(['delete', rows, isStamped], () =>
      this.#dialect.printWrite(deleteRowsQuery(this.#dataclass, isStamped, rows, this.#settings)),
    );
  }

  /** The statement that finds cells which would lose characters; null where no column of the list can. */
  unencodable(columns: readonly Column[]): Statement | null {
    return this.#print(['unencodable', names(columns)], () =>
      this.#dialect.printWrite(unencodableQuery(this.#dataclass, columns)),
    );
  }

  #needed(id: readonly unknown[], print: () => Statement | null): Statement {
    const statement = this.#print(id, print);
    if (statement === null) throw new Error(`nothing is printed for ${String(id[0])}`);
    return statement;
  }

  #print(id: readonly unknown[], print: () => Statement | null): Statement | null {
    return memoize(this.#printed.others, this.#key(...id), () => ({ statement: print() }))
      .statement;
  }

  #key(...id: readonly unknown[]): string {
    return JSON.stringify([this.#id, ...id]);
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
