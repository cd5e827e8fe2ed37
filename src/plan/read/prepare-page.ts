import type { Dataclass } from '../../model/types.ts';
import { filteredColumns, keyOrder } from '../../sql/ir/index-use.ts';
import type { CountQuery, SelectQuery } from '../../sql/ir/ir.ts';
import { lazily, type Prepared, type Printer, type Statement } from '../../sql/ir/statement.ts';

/**
 * Prints the query of one entity. A lookup in a table by a key or a unique attribute takes no time, so several requests may share one statement
 * ({@link Statement.together}) without waiting for each other.
 * @param nullable whether a path over relations leads to the entity
 */
export function prepareEntity(
  query: SelectQuery,
  { table }: Dataclass,
  nullable: boolean,
  printer: Printer,
): Statement {
  const statement = { findsOne: true, ...printer.print(query) } as const;
  const isLookup = table.kind === 'table' && !nullable && query.orderBy.length === 0;
  return isLookup ? shareable(statement, query, printer) : statement;
}

/** Prints the query of a page. Where an index narrows it to few rows, several requests may share one statement. */
export function preparePage(query: SelectQuery, { table }: Dataclass, printer: Printer): Statement {
  const statement = withFilteredColumns(printer.print(query), query);
  const isOfTable = table.kind === 'table' && statement.filtered?.every((one) => !one.isRelated);
  return isOfTable === true ? shareable(statement, query, printer) : statement;
}

/** Prints the query of a count. */
export function prepareCount(query: CountQuery, { print }: Printer): Prepared<CountQuery> {
  return { query, ...withFilteredColumns(print(query), query) };
}

/** Prepares to print a page that begins far in, whose first row is found by its key alone; null where this is no faster. */
export function prepareDeepPage(
  query: SelectQuery,
  { table }: Dataclass,
  { printDeepPage }: Printer,
): (() => Statement | null) | null {
  const key = printDeepPage === null ? null : keyOrder(query, table);
  return printDeepPage === null || key === null ? null : lazily(() => printDeepPage(query, key));
}

/** A statement that may run for several requests at once. */
function shareable(
  statement: Statement,
  query: SelectQuery,
  { printTogether }: Printer,
): Statement {
  if (printTogether === null) return statement;
  const { findsOne, filtered } = statement;
  const hints = findsOne === true ? { findsOne } : filtered === undefined ? {} : { filtered };
  const together = lazily(() => {
    const printed = printTogether(query);
    return printed === null ? null : { ...hints, ...printed };
  });
  return { together, ...statement };
}

function withFilteredColumns(statement: Statement, query: SelectQuery | CountQuery): Statement {
  const filtered = filteredColumns(query);
  return filtered === null || filtered.length === 0 ? statement : { filtered, ...statement };
}
