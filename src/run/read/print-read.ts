import type { Dialect, Reader, Statement } from '../../sql/dialect.ts';
import type { CountQuery, SelectQuery } from '../../sql/ir/ir.ts';
import { keyOrder, filteredColumns } from '../../sql/ir/index-use.ts';
import { lazily } from '../../sql/statement.ts';
import type { EntityShape, FetchPlan, LinkColumn, ReadPlan } from '../../plan/condition/types.ts';

/** A plan with its statements printed: what is kept for all requests of one shape. */
export interface PrintedRead {
  readonly plan: ReadPlan;
  readonly fetch: PrintedFetch;
  /** What finds a page that begins far in; null where that is as any other. */
  readonly deepPage: (() => Statement | null) | null;
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
    fetch: {
      ...fetch,
      statement:
        plan.answer === 'entity' ? ofOne(plan, fetch, dialect) : ofSome(plan, fetch, dialect),
    },
    deepPage: plan.answer === 'entity' ? null : deepPage(plan, dialect),
    count: plan.count === null ? null : withSought(dialect.print(plan.count), plan.count),
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
  if (printTogether === null || !isPlain) return { findsOne: true, ...statement };
  return {
    findsOne: true,
    together: together(query, printTogether, { findsOne: true }),
    ...statement,
  };
}

/**
 * A statement that finds a page. Where few rows are sought by values of their own, it may be one for several requests, too: what takes one long would hold up
 * the others.
 */
function ofSome(
  { dataclass, fetch: { query } }: ReadPlan,
  { statement }: PrintedFetch,
  { printTogether }: Dialect,
): Statement {
  const seeking = withSought(statement, query);
  const { filtered } = seeking;
  const isPlain = dataclass.table.kind === 'table' && filtered?.every((one) => !one.isRelated);
  if (filtered === undefined || printTogether === null || isPlain !== true) return seeking;
  return { together: together(query, printTogether, { filtered }), ...seeking };
}

/** Prints a query for several requests, when it is first asked for. @param more what is known of how it is run */
function together(
  query: SelectQuery,
  printTogether: NonNullable<Dialect['printTogether']>,
  more: Pick<Statement, 'findsOne' | 'filtered'>,
): () => Statement | null {
  return lazily(() => {
    const found = printTogether(query);
    return found === null ? null : { ...more, ...found };
  });
}

function deepPage(
  { dataclass: { table }, fetch: { query } }: ReadPlan,
  { printDeepPage }: Dialect,
): PrintedRead['deepPage'] {
  const key = printDeepPage === null ? null : keyOrder(query, table);
  return printDeepPage === null || key === null ? null : lazily(() => printDeepPage(query, key));
}

function withSought(statement: Statement, query: SelectQuery | CountQuery): Statement {
  const filtered = filteredColumns(query);
  return filtered === null || filtered.length === 0 ? statement : { filtered, ...statement };
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
