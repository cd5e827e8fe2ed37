import type { Dialect, Reader, Statement } from '../sql/dialect.ts';
import type { EntityShape, FetchPlan, LinkColumn, ReadPlan } from '../plan/types.ts';

/** A plan with its statements printed: what is kept for all requests of one shape. */
export interface PrintedRead {
  readonly plan: ReadPlan;
  readonly fetch: PrintedFetch;
  readonly count: Statement | null;
  readonly globalStamp: Statement;
  readonly origin: Statement | null;
}

/** The shape of rows, how their columns are read, and what is fetched for them. */
export interface PrintedRows {
  /** One for each column of the rows. */
  readonly readers: readonly Reader[];
  readonly shape: EntityShape;
  readonly children: readonly PrintedChild[];
}

/** A printed query with the shape of its rows, and what is fetched for its rows. */
export interface PrintedFetch extends PrintedRows {
  readonly statement: Statement;
}

/** What is fetched for all rows of a result at once. */
export interface PrintedChild {
  readonly links: readonly LinkColumn[];
  readonly fetch: PrintedFetch;
}

/** Prints the statements of a plan. */
export function printRead(plan: ReadPlan, dialect: Dialect): PrintedRead {
  const fetch = printFetch(plan.fetch, dialect);
  return {
    plan,
    fetch: plan.answer === 'entity' ? { ...fetch, statement: ofOne(plan, fetch, dialect) } : fetch,
    count: plan.count === null ? null : dialect.print(plan.count),
    globalStamp: dialect.print(plan.globalStamp),
    origin: plan.origin === null ? null : dialect.print(plan.origin),
  };
}

/** A statement that finds one row. Those that a key or a unique attribute finds in a table are found in no time, so that nobody waits for another one's. */
function ofOne(
  { dataclass, nullable, fetch: { query } }: ReadPlan,
  { statement }: PrintedFetch,
  { printTogether }: Dialect,
): Statement {
  const isPlain = dataclass.table.kind === 'table' && !nullable && query.orderBy.length === 0;
  if (printTogether === null || !isPlain) return { ...statement, findsOne: true };
  let printed: Statement | null | undefined;
  const together = (): Statement | null => {
    if (printed === undefined) {
      const found = printTogether(query);
      printed = found === null ? null : { ...found, findsOne: true };
    }
    return printed;
  };
  return { ...statement, findsOne: true, together };
}

/** Prints a query and those that bring what is related to its rows. */
export function printFetch(plan: FetchPlan, dialect: Dialect): PrintedFetch {
  const statement = dialect.print(plan.query);
  return {
    statement,
    readers: statement.readers,
    shape: plan.shape,
    children: plan.children.map(({ links, fetch }) => ({
      links,
      fetch: printFetch(fetch, dialect),
    })),
  };
}
