import { withoutPadding } from '../../base/text.ts';
import { ProtocolError } from '../../base/errors.ts';
import { TimeSlice } from '../../base/time.ts';
import type { EncodedRows, Row, SharedCount } from '../../database/database.ts';
import type { Literal, ParameterRef } from '../../protocol/ast.ts';
import {
  RELATED_PAGE,
  type AddressedEntity,
  type ChildPlan,
  type ReadPlan,
  type RowsPlan,
} from '../../plan/condition/types.ts';
import type { Reader, Statement } from '../../sql/ir/statement.ts';
import { type DifferingPair, losesPadding } from '../../schema/type-rules.ts';
import { canonicalText } from '../convert/bind.ts';
import { ConversionError } from '../convert/conversion-error.ts';
import type { FoundRows, Inputs, StatementSource } from '../run.ts';

/** How many related entities one answer may hold: paths to many and back multiply, to more than fits into memory. */
export const MOST_RELATED_ENTITIES = 250_000;

/** More is related to what is read than an answer may hold. */
export function tooManyRelated(most = MOST_RELATED_ENTITIES): ProtocolError {
  const message = `The answer would hold more than ${most} related entities: expand fewer relations, or ask for a smaller page.`;
  return new ProtocolError('answerTooLarge', message);
}

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
  /** Of the first lists, where there are more than enough. */
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
  /** The rows of a page as they came, in the place of those that were fetched; left out where they were decoded. */
  readonly encoded?: EncodedRows;
  readonly count: number;
  readonly first: number;
  readonly globalStamp: string;
}

/** Runs a read: the page; then, side by side, the count and the global stamp where the page does not tell them, and what is related. */
export async function runRead(
  plan: ReadPlan,
  values: readonly Literal[],
  source: StatementSource,
): Promise<ReadResult> {
  const top = parameterNumber(plan.top, values);
  const counting = countingOf(plan, values, source);
  // Beside the page where it can be told beforehand that the page will not tell it.
  if (counting?.isDueBeyond(parameterNumber(plan.skip, values) + top) === true) {
    // Where the page fails, or tells the count itself after all, nobody waits for it.
    counting.run().catch(() => undefined);
  }
  // A page of nothing asks for the count alone; SQL Server would refuse to fetch 0 rows.
  const { rows, encoded } =
    top === 0 && plan.answer === 'collection'
      ? NOTHING
      : await rowsOf(pageStatement(plan, values), { values }, source);
  const found = encoded?.length ?? rows.length;
  const first = plan.answer === 'entity' ? 0 : parameterNumber(plan.skip, values);
  if (found === 0 && (plan.answer === 'entity' || plan.origin !== null)) {
    await checkAddressed(plan.origin, plan.addressed, values, source);
  }
  if (isTold(plan, rows)) {
    return { fetched: { rows, children: [] }, count: first + rows.length, first, globalStamp: '0' };
  }
  const [count, globalStamp, children] = await Promise.all([
    readPageCount(plan, { size: found, isFull: found >= top }, values, source, counting),
    globalStampOf(encoded ?? rows, plan.globalStampColumn, plan.globalStamp, source),
    fetchChildren(plan.fetch, rows, values, source),
  ]);
  const result = { fetched: { rows, children }, count, first, globalStamp };
  return encoded === undefined ? result : { encoded, ...result };
}

/** How many rows are skipped before it takes less to look for the first one of a page by its key. */
const FAR = 200;

/** What finds the page, or the entity, of a request. */
export function pageStatement(
  { fetch, deepPage, skip }: ReadPlan,
  values: readonly Literal[],
): Statement {
  const isFar = deepPage !== null && parameterNumber(skip, values) >= FAR;
  return (isFar ? deepPage() : null) ?? fetch.statement;
}

const NOTHING: FoundRows = { rows: [] };

export async function rowsOf(
  statement: Statement,
  inputs: Inputs,
  { run, runEncoded }: StatementSource,
): Promise<FoundRows> {
  return runEncoded === undefined
    ? { rows: await run(statement, inputs) }
    : runEncoded(statement, inputs);
}

/** Whether rows are all that there is to tell: of an entity that shows no list of related ones. */
function isTold({ answer, globalStampColumn, fetch }: ReadPlan, rows: readonly Row[]): boolean {
  return (
    answer === 'entity' &&
    rows.length > 0 &&
    globalStampColumn === null &&
    fetch.children.length === 0
  );
}

/** The length of the collection that a page is from. It is counted, if not already by `counting`, where the page does not tell: it may be full. */
export async function readPageCount(
  plan: ReadPlan,
  { size: found, isFull }: { readonly size: number; readonly isFull: boolean },
  values: readonly Literal[],
  source: StatementSource,
  counting = countingOf(plan, values, source),
): Promise<number> {
  const { count } = plan;
  const first = plan.answer === 'entity' ? 0 : parameterNumber(plan.skip, values);
  const pageTells = !isFull && (found > 0 || first === 0);
  if (count === null || pageTells) return first + found;
  const counted = (await counting?.run()) ?? Number((await source.run(count, { values }))[0]?.[0]);
  // It may have been counted before somebody added what the page shows.
  return found === 0 ? counted : Math.max(counted, first + found);
}

/** The count of a collection, to be shared with others; null where it is not counted, or not shared. */
function countingOf(
  { answer, count }: ReadPlan,
  values: readonly Literal[],
  source: StatementSource,
): SharedCount | null {
  if (count === null || answer === 'entity' || source.counting === undefined) return null;
  return source.counting(count, { values });
}

/** The server-wide modification stamp: of the rows where they have it, else asked for; null (`column` too) where no stamp is answered. */
export async function globalStampOf(
  rows: readonly Row[] | EncodedRows,
  column: number | null,
  statement: Statement,
  source: StatementSource,
): Promise<string> {
  if (column === null) return '0';
  if ('cursor' in rows) {
    const cursor = rows.cursor();
    if (cursor.next()) return cursor.text(column);
  } else if (rows[0] !== undefined) {
    return String(rows[0][column]);
  }
  const [found] = await source.run(statement, {});
  return String(found?.[0]);
}

/** Refuses an empty answer where the entity at the start of the path does not exist; `origin` finds it, null where it was what was not found. */
export async function checkAddressed(
  origin: Statement | null,
  addressed: AddressedEntity,
  values: readonly Literal[],
  source: StatementSource,
): Promise<void> {
  const found = origin === null ? [] : await source.run(origin, { values });
  if (found.length === 0) throw noSuchEntity(addressed, values);
}

function noSuchEntity(
  { dataclass, keys }: AddressedEntity,
  values: readonly Literal[],
): ProtocolError {
  const key = keys
    .map(({ parameter }) => values[parameter]?.value)
    .filter((value) => typeof value === 'string')
    .map((part) => part || '""')
    .join(';');
  return new ProtocolError('noSuchEntity', `There is no entity ${dataclass}(${key}).`);
}

export function parameterNumber({ parameter }: ParameterRef, values: readonly Literal[]): number {
  return Number(values[parameter]?.value);
}

/** Fetches what is related to rows: for each to-many path one statement for all of them. */
export function fetchChildren(
  fetch: RowsPlan,
  rows: readonly Row[],
  values: readonly Literal[],
  source: StatementSource,
): Promise<FetchedGroups[]> {
  return Promise.all(
    fetch.children.map((child) =>
      fetchChild(child, { rows, readers: fetch.readers }, values, source),
    ),
  );
}

/** Parents with equal links share one group, so that each is asked for once. */
async function fetchChild(
  child: ChildPlan,
  { rows, readers }: { readonly rows: readonly Row[]; readonly readers: readonly Reader[] },
  values: readonly Literal[],
  source: StatementSource,
): Promise<FetchedGroups> {
  const groupOf = new Int32Array(rows.length).fill(-1);
  const ordinals = new Map<string, number>();
  const keys: string[][] = [];
  const slice = new TimeSlice();
  for (const [index, row] of rows.entries()) {
    if (slice.isOver()) await slice.pause();
    const parts = linkTexts(child, readers, row);
    if (parts === null) continue;
    const text = JSON.stringify(parts);
    let ordinal = ordinals.get(text);
    if (ordinal === undefined) {
      ordinal = keys.length;
      ordinals.set(text, ordinal);
      keys.push(parts);
    }
    groupOf[index] = ordinal;
  }
  const groups = keys.map((): Group => ({ count: 0, start: 0, end: 0 }));
  if (keys.length === 0) return { fetched: { rows: [], children: [] }, groupOf, groups };
  const { found, lists } = await relatedRows(child.fetch.statement, keys, values, source);
  for (const [index, row] of found.entries()) {
    if (slice.isOver()) await slice.pause();
    const group = groups[Number(row[0])];
    if (group === undefined) continue;
    if (group.end === 0) {
      group.start = index;
      group.count = Number(row[1]);
    }
    group.end = index + 1;
  }
  const children = await fetchChildren(child.fetch, found, values, source);
  return { fetched: { rows: found, children }, groupOf, groups: groups.slice(0, lists) };
}

/** The most lists that one statement reads: each has up to {@link RELATED_PAGE} rows, which are in memory at once. */
const MOST_LISTS = MOST_RELATED_ENTITIES / RELATED_PAGE;

/** How many times as many lists the next statement reads, where the rows of those before were few. */
const GROWTH = 8;

/** The related rows of the first lists, by statements that read no more than an answer may hold, or than is enough. @throws ProtocolError answerTooLarge */
async function relatedRows(
  statement: Statement,
  keys: readonly (readonly string[])[],
  values: readonly Literal[],
  source: StatementSource,
): Promise<{ readonly found: readonly Row[]; readonly lists: number }> {
  const { enoughRows, run } = source;
  const most = enoughRows ?? MOST_RELATED_ENTITIES;
  let size = Math.ceil(most / RELATED_PAGE);
  if (keys.length <= size) {
    return { found: await run(statement, { values, rows: keys }), lists: keys.length };
  }
  const all: Row[] = [];
  let at = 0;
  while (at < keys.length && all.length <= most) {
    const some = keys.slice(at, at + size);
    for (const row of await run(statement, { values, rows: some })) {
      // Each statement counts its lists from 0.
      const [ordinal, ...others] = row;
      all.push([String(Number(ordinal) + at), ...others]);
    }
    at += some.length;
    size = Math.min(size * GROWTH, MOST_LISTS);
  }
  if (all.length > most && enoughRows === undefined) throw tooManyRelated();
  return { found: all, lists: at };
}

/** The values that lead to the related rows as text, or null where one of them leads nowhere. */
function linkTexts(child: ChildPlan, readers: readonly Reader[], row: Row): string[] | null {
  const texts: string[] = [];
  for (const { column, pair } of child.links) {
    const value = row[column];
    if (value === null || value === undefined) return null;
    const own = readers[column]?.text(value) ?? '';
    const text = pair === null ? own : linkedText(own, pair);
    if (text === null) return null;
    texts.push(text);
  }
  return texts;
}

/** The text by which a value of one column is looked up in the other; null where no value there equals it. */
function linkedText(text: string, { from, to }: DifferingPair): string | null {
  if (losesPadding(from, to)) return withoutPadding(text);
  try {
    return canonicalText(text, to);
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error;
    return null;
  }
}
