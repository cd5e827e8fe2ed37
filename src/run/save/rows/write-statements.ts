import type { LRUCache } from 'lru-cache';
import { byteCache, memoize } from '../../../base/collections.ts';
import type { Dataclass, Relation } from '../../../model/types.ts';
import type { ProjectionSettings } from '../../../plan/read/projection.ts';
import type { SaveAnswerPlan } from '../../../plan/write/save-answer.ts';
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
  type Addressing,
  type AssignedColumn,
  type CurrentRowsPlan,
} from '../../../plan/write/write-queries.ts';
import type { RowCount, RowLock } from '../../../sql/ir/ir.ts';
import type { Column } from '../../../schema/types.ts';
import type { Dialect } from '../../../sql/dialect.ts';
import type { Statement } from '../../../sql/ir/statement.ts';
import { statementBytes } from '../../print-meter.ts';

/** A statement that reads rows before they are changed. */
export interface CurrentRowsStatement {
  readonly plan: CurrentRowsPlan;
  readonly statement: Statement;
}

/** The query that reads saved rows again. */
export type OwnRows = Pick<SaveAnswerPlan, 'own' | 'ownQuery'>;

/** A printed statement; null where there is nothing to run. */
interface Printed {
  readonly statement: Statement | null;
}

/** Plans that look up rows by a relation. */
const LOOKUPS = { related: planRelatedRows, referred: planReferredRows, owned: planOwnedRows };

/** A kind of lookup by a relation. */
export type Lookup = keyof typeof LOOKUPS;

/** The statements that write, printed when first needed and kept, in bounded caches: bodies name attributes in many combinations. */
export class WriteStatements {
  readonly #settings: ProjectionSettings;
  readonly #dialect: Dialect;
  readonly #current: LRUCache<string, CurrentRowsStatement>;
  readonly #others: LRUCache<string, Printed>;
  /** Dataclasses of one name differ by who sees them. */
  readonly #ids = new WeakMap<Dataclass, number>();
  #count = 0;

  /** @param maxBytes about how much memory they may take */
  constructor(settings: ProjectionSettings, dialect: Dialect, maxBytes: number) {
    const half = Math.ceil(maxBytes / 2);
    const bytesOf = ({ statement }: Printed): number => statementBytes(statement);
    this.#settings = settings;
    this.#dialect = dialect;
    this.#current = byteCache<CurrentRowsStatement>(half, bytesOf);
    this.#others = byteCache<Printed>(half, bytesOf);
  }

  /** Reads rows before they are changed; the parameters are those of {@link planCurrentRows}. */
  current(
    dataclass: Dataclass,
    attributes: readonly Addressing[],
    columns: readonly Column[],
    lock: RowLock | null,
    comparison: 'exact' | 'folded',
  ): CurrentRowsStatement {
    const by = attributes.map(({ name }) => name);
    const key = this.#key(dataclass, [by, names(columns), lock, comparison]);
    return memoize(this.#current, key, () => {
      const settings = this.#settings;
      const plan = planCurrentRows(dataclass, attributes, columns, lock, comparison, settings);
      return { plan, statement: this.#dialect.print(plan.query) };
    });
  }

  /** Looks up rows by a relation. */
  lookup(dataclass: Dataclass, lookup: Lookup, relation: Relation): Statement {
    return this.#needed(dataclass, [lookup, relation.name], () =>
      this.#dialect.print(LOOKUPS[lookup](relation)),
    );
  }

  /** @param answer reads the rows as well; null where they are read afterwards */
  insert(
    dataclass: Dataclass,
    columns: readonly AssignedColumn[],
    rows: RowCount,
    answer: OwnRows | null,
  ): Statement {
    const id = ['insert', rows, answer?.own.name, ...columnIds(columns)];
    return this.#needed(dataclass, id, () =>
      this.#dialect.printWrite(insertQuery(dataclass, columns, rows, answer?.ownQuery)),
    );
  }

  /** Reads values as the types of their columns do, and changes nothing; null where that tells no more. */
  trial(dataclass: Dataclass, columns: readonly AssignedColumn[]): Statement | null {
    return this.#print(dataclass, ['trial', ...columnIds(columns)], () =>
      this.#dialect.printWrite({ ...insertQuery(dataclass, columns, 'one'), trial: true }),
    );
  }

  update(
    dataclass: Dataclass,
    columns: readonly AssignedColumn[],
    isStamped: boolean,
    rows: RowCount,
  ): Statement {
    const id = ['update', rows, isStamped, ...columnIds(columns)];
    return this.#needed(dataclass, id, () =>
      this.#dialect.printWrite(updateQuery(dataclass, columns, isStamped, rows, this.#settings)),
    );
  }

  /** Changes rows and reads them again by `own`; null where the engine needs two statements. `unlocked` leaves alone a row that others have locked. */
  updateDirectly(
    dataclass: Dataclass,
    columns: readonly AssignedColumn[],
    { own, ownQuery }: OwnRows,
    rows: RowCount,
    unlocked: boolean,
  ): Statement | null {
    const id = ['direct', rows, unlocked, own.name, ...columnIds(columns)];
    return this.#print(dataclass, id, () =>
      this.#dialect.printDirectUpdate(
        directUpdateQuery(dataclass, columns, ownQuery, rows, unlocked, this.#settings),
      ),
    );
  }

  /** Makes new versions of rows that stay as they are; null where that is not possible. */
  touch(dataclass: Dataclass, rows: RowCount): Statement | null {
    return this.#print(dataclass, ['touch', rows], () => {
      const query = touchQuery(dataclass, rows, this.#settings);
      return query === null ? null : this.#dialect.printWrite(query);
    });
  }

  deleteRows(dataclass: Dataclass, isStamped: boolean, rows: RowCount): Statement {
    return this.#needed(dataclass, ['delete', rows, isStamped], () =>
      this.#dialect.printWrite(deleteRowsQuery(dataclass, isStamped, rows, this.#settings)),
    );
  }

  /** Finds cells that would lose characters; null where no column of the list can. */
  unencodable(dataclass: Dataclass, columns: readonly Column[]): Statement | null {
    return this.#print(dataclass, ['unencodable', names(columns)], () =>
      this.#dialect.printWrite(unencodableQuery(dataclass, columns)),
    );
  }

  #needed(dataclass: Dataclass, id: readonly unknown[], print: () => Statement | null): Statement {
    const statement = this.#print(dataclass, id, print);
    if (statement === null) throw new Error(`nothing is printed for ${String(id[0])}`);
    return statement;
  }

  #print(
    dataclass: Dataclass,
    id: readonly unknown[],
    print: () => Statement | null,
  ): Statement | null {
    const make = (): Printed => ({ statement: print() });
    return memoize(this.#others, this.#key(dataclass, id), make).statement;
  }

  #key(dataclass: Dataclass, id: readonly unknown[]): string {
    let number = this.#ids.get(dataclass);
    if (number === undefined) {
      number = this.#count += 1;
      this.#ids.set(dataclass, number);
    }
    return JSON.stringify([number, ...id]);
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
