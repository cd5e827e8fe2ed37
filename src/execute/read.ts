import { ProtocolError } from '../base/errors.ts';
import type { Database, Row } from '../database/database.ts';
import { bindParameter } from '../plan/bind.ts';
import type { Literal, Slot } from '../request/ast.ts';
import type { BoundParameter, Statement } from '../sql/dialect.ts';
import type { PreparedChild, PreparedFetch, PreparedRead } from './prepare.ts';

/** The rows of one statement, and what is related to them. */
export interface FetchedRows {
  readonly rows: readonly Row[];
  /** One for each child of the fetch plan. */
  readonly children: readonly FetchedGroups[];
}

/** The related rows of all parents: one list, cut into groups. */
export interface FetchedGroups {
  readonly fetched: FetchedRows;
  /** For each parent row its group, or -1 where nothing is related. */
  readonly groupOf: Int32Array;
  readonly groups: readonly Group[];
}

/** Rows `start` to `end` of a list of related rows, of `count` that there are. */
export interface Group {
  count: number;
  start: number;
  end: number;
}

/** What a read found. */
export interface ReadResult {
  readonly fetched: FetchedRows;
  /** The length of the whole collection. */
  readonly count: number;
  readonly first: number;
  readonly globalStamp: string;
}

/**
 * Runs a prepared read: the page; then, at once, its length where the page does not tell it, and for each to-many path
 * one statement for all rows.
 * @throws ProtocolError wrongType for values that do not fit, noSuchEntity, and what the database throws
 */
export async function runRead(
  prepared: PreparedRead,
  values: readonly Literal[],
  database: Database,
): Promise<ReadResult> {
  const { plan } = prepared;
  const top = slotNumber(plan.top, values);
  // A page of nothing asks for the count alone; SQL Server would refuse to fetch 0 rows.
  const rows =
    top === 0 && plan.answer === 'collection'
      ? []
      : await run(prepared.fetch.statement, values, database);
  const first = plan.answer === 'entity' ? 0 : slotNumber(plan.skip, values);
  if (rows.length === 0) await checkOrigin(prepared, values, database);
  const pageTells = rows.length < top && (rows.length > 0 || first === 0);
  const [count, globalStamp, children] = await Promise.all([
    prepared.count === null || pageTells
      ? first + rows.length
      : run(prepared.count, values, database).then((found) => Number(found[0]?.[0])),
    rows[0] === undefined
      ? run(prepared.globalStamp, values, database).then((found) => String(found[0]?.[0]))
      : String(rows[0][plan.globalStampColumn]),
    fetchChildren(prepared.fetch, rows, values, database),
  ]);
  return { fetched: { rows, children }, count, first, globalStamp };
}

/** An empty answer is none where the entity that the path begins with does not exist. */
async function checkOrigin(
  { plan, origin }: PreparedRead,
  values: readonly Literal[],
  database: Database,
): Promise<void> {
  if (origin === null) {
    if (plan.answer === 'entity') throw noSuchEntity(plan.addressed, values);
    return;
  }
  const found = await run(origin, values, database);
  if (found.length === 0) throw noSuchEntity(plan.addressed, values);
}

function noSuchEntity(
  { dataclass, keys }: { dataclass: string; keys: readonly Slot[] },
  values: readonly Literal[],
): ProtocolError {
  const key = keys
    .map(({ slot }) => values[slot]?.value)
    .filter((value) => typeof value === 'string')
    .join(';');
  return new ProtocolError('noSuchEntity', `There is no entity ${dataclass}(${key}).`);
}

function slotNumber({ slot }: Slot, values: readonly Literal[]): number {
  return Number(values[slot]?.value);
}

async function run(
  statement: Statement,
  values: readonly Literal[],
  database: Database,
  keyList?: string,
): Promise<readonly Row[]> {
  const bound = statement.parameters.map((parameter): BoundParameter => {
    switch (parameter.kind) {
      case 'parameter':
        return { parameter, value: bindParameter(parameter, values, database.dialect) };
      case 'constant':
        return { parameter, value: parameter.value };
      case 'keyList':
        return { parameter, value: keyList ?? '[]' };
    }
  });
  return retryingDeadlocks(() => database.query(statement.text, bound));
}

/** How often a read that fell victim to a deadlock is tried in all. */
const ATTEMPTS = 3;

/** A read that the database gave up in favour of another transaction has changed nothing: it is tried again. */
async function retryingDeadlocks<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const isDeadlock = error instanceof ProtocolError && error.errorName === 'deadlock';
      if (!isDeadlock || attempt === ATTEMPTS) throw error;
    }
  }
}

function fetchChildren(
  fetch: PreparedFetch,
  rows: readonly Row[],
  values: readonly Literal[],
  database: Database,
): Promise<FetchedGroups[]> {
  return Promise.all(
    fetch.children.map((child) => fetchChild(child, fetch.statement, rows, values, database)),
  );
}

/** Parents with equal links share one group, so that each is asked for once. */
async function fetchChild(
  child: PreparedChild,
  parent: Statement,
  rows: readonly Row[],
  values: readonly Literal[],
  database: Database,
): Promise<FetchedGroups> {
  const groupOf = new Int32Array(rows.length).fill(-1);
  const ordinals = new Map<string, number>();
  const keys: string[] = [];
  for (const [index, row] of rows.entries()) {
    const parts = linkTexts(child, parent, row);
    if (parts === null) continue;
    const text = JSON.stringify(parts);
    let ordinal = ordinals.get(text);
    if (ordinal === undefined) {
      ordinal = keys.length;
      ordinals.set(text, ordinal);
      keys.push(`[${ordinal},${text.slice(1)}`);
    }
    groupOf[index] = ordinal;
  }
  const groups = keys.map((): Group => ({ count: 0, start: 0, end: 0 }));
  if (keys.length === 0) {
    return { fetched: { rows: [], children: [] }, groupOf, groups };
  }
  const found = await run(child.fetch.statement, values, database, `[${keys.join(',')}]`);
  for (const [index, row] of found.entries()) {
    const group = groups[Number(row[0])];
    if (group === undefined) continue;
    if (group.end === 0) {
      group.start = index;
      group.count = Number(row[1]);
    }
    group.end = index + 1;
  }
  const children = await fetchChildren(child.fetch, found, values, database);
  return { fetched: { rows: found, children }, groupOf, groups };
}

/** The values that lead to the related rows as text, or null where one of them is null. */
function linkTexts(child: PreparedChild, parent: Statement, row: Row): string[] | null {
  const texts: string[] = [];
  for (const column of child.links) {
    const value = row[column];
    if (value === null || value === undefined) return null;
    texts.push(parent.readers[column]?.text(value) ?? '');
  }
  return texts;
}
