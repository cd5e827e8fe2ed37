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
import type { Dialect } from '../../../sql/dialect.ts';
import type { Statement } from '../../../sql/ir/statement.ts';
import { statementBytes } from '../../print-meter.ts';

/** A statement that reads rows before they are changed. */
export interface CurrentRowsStatement {
  readonly plan: CurrentRowsPlan;
  readonly statement: Statement;
}

/** A printed statement; null where there is nothing to run. */
interface Printed {
  readonly statement: Statement | null;
}

/** Shared by the statements of all dataclasses. The caches are bounded, as bodies name attributes in many combinations. */
interface Shared {
  readonly settings: ProjectionSettings;
  readonly dialect: Dialect;
  readonly current: LRUCache<string, CurrentRowsStatement>;
  readonly others: LRUCache<string, Printed>;
}

/** Plans that look up rows by a relation. */
const LOOKUPS = { related: planRelatedRows, referred: planReferredRows, owned: planOwnedRows };

/** A kind of lookup by a relation. */
export type Lookup = keyof typeof LOOKUPS;

/**
 * The statements that write entities, each printed when it is first needed and kept for all requests. Those that have not been used for longest
 * go first.
 */
export class WriteStatementStore {
  readonly #shared: Shared;
  /** Dataclasses of one name differ by who sees them. */
  readonly #ids = new WeakMap<Dataclass, number>();
  #count = 0;

  /** @param maxBytes about how much memory they may take */
  constructor(settings: ProjectionSettings, dialect: Dialect, maxBytes: number) {
    const half = Math.ceil(maxBytes / 2);
    const bytesOf = ({ statement }: Printed): number => statementBytes(statement);
    this.#shared = {
      settings,
      dialect,
      current: byteCache<CurrentRowsStatement>(half, bytesOf),
      others: byteCache<Printed>(half, bytesOf),
    };
  }

  /** The statements that write entities of one dataclass. */
  of(dataclass: Dataclass): WriteStatements {
    let id = this.#ids.get(dataclass);
    if (id === undefined) {
      id = this.#count += 1;
      this.#ids.set(dataclass, id);
    }
    return new WriteStatements(dataclass, id, this.#shared);
  }
}

/** The statements that write entities of one dataclass. */
export class WriteStatements {
  readonly #dataclass: Dataclass;
  readonly #id: number;
  readonly #shared: Shared;

  /** For {@link WriteStatementStore.of}. */
  constructor(dataclass: Dataclass, id: number, shared: Shared) {
    this.#dataclass = dataclass;
    this.#id = id;
    this.#shared = shared;
  }

  /** Reads rows before they are changed; the parameters are those of {@link planCurrentRows}. */
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
    const { current, dialect, settings } = this.#shared;
    return memoize(current, key, () => {
      const plan = planCurrentRows(
        this.#dataclass,
        attributes,
        columns,
        lock,
        comparison,
        settings,
      );
      return { plan, statement: dialect.print(plan.query) };
    });
  }

  /** Looks up rows by a relation. */
  lookup(lookup: Lookup, relation: Relation): Statement {
    return this.#needed([lookup, relation.name], ({ dialect }) =>
      dialect.print(LOOKUPS[lookup](relation)),
    );
  }

  insert(columns: readonly AssignedColumn[], rows: RowCount): Statement {
    return this.#needed(['insert', rows, ...columnIds(columns)], ({ dialect }) =>
      dialect.printWrite(insertQuery(this.#dataclass, columns, rows)),
    );
  }

  update(columns: readonly AssignedColumn[], isStamped: boolean, rows: RowCount): Statement {
    const id = ['update', rows, isStamped, ...columnIds(columns)];
    return this.#needed(id, ({ dialect, settings }) =>
      dialect.printWrite(updateQuery(this.#dataclass, columns, isStamped, rows, settings)),
    );
  }

  /**
   * Changes one row and reads it again; null where the engine cannot do that in one statement.
   * @param own the query that reads it, and its statement
   * @param unlocked whether to leave a row alone that another session has locked
   */
  updateDirectly(
    columns: readonly AssignedColumn[],
    own: { readonly query: KeyedQuery; readonly statement: Statement },
    unlocked: boolean,
  ): Statement | null {
    const id = ['direct', unlocked, own.statement.name, ...columnIds(columns)];
    return this.#print(id, ({ dialect, settings }) =>
      dialect.printDirectUpdate(
        directUpdateQuery(this.#dataclass, columns, own.query, unlocked, settings),
      ),
    );
  }

  /** Makes new versions of rows that stay as they are; null where that is not possible. */
  touch(rows: RowCount): Statement | null {
    return this.#print(['touch', rows], ({ dialect, settings }) => {
      const query = touchQuery(this.#dataclass, rows, settings);
      return query === null ? null : dialect.printWrite(query);
    });
  }

  deleteRows(isStamped: boolean, rows: RowCount): Statement {
    return this.#needed(['delete', rows, isStamped], ({ dialect, settings }) =>
      dialect.printWrite(deleteRowsQuery(this.#dataclass, isStamped, rows, settings)),
    );
  }

  /** Finds cells that would lose characters; null where no column of the list can. */
  unencodable(columns: readonly Column[]): Statement | null {
    return this.#print(['unencodable', names(columns)], ({ dialect }) =>
      dialect.printWrite(unencodableQuery(this.#dataclass, columns)),
    );
  }

  #needed(id: readonly unknown[], print: (shared: Shared) => Statement | null): Statement {
    const statement = this.#print(id, print);
    if (statement === null) throw new Error(`nothing is printed for ${String(id[0])}`);
    return statement;
  }

  #print(id: readonly unknown[], print: (shared: Shared) => Statement | null): Statement | null {
    const make = (): Printed => ({ statement: print(this.#shared) });
    return memoize(this.#shared.others, this.#key(...id), make).statement;
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
