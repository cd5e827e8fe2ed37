import { intersects } from '../entity-set/combine.ts';
import type { KeyList } from '../entity-set/keys.ts';
import type { Literal } from '../request/ast.ts';
import { combinedKeys } from './chosen-keys.ts';
import { narrowedKeys } from './narrowed.ts';
import type { PrintedEntitySet } from './print-entity-set.ts';
import { fetchChildren, globalStampOf, slotNumber, type FetchedRows } from './read.ts';
import { readingFrom, type Execution } from './run.ts';
import { soughtKey } from './sought-key.ts';
import {
  neededKeys,
  noOtherSet,
  sourceKeys,
  type SetAccess,
  type SetExecution,
} from './set-keys.ts';

/** A page of an entity set. */
export interface SetPage {
  readonly kind: 'page';
  /** The id of the set that was made; null where none was kept. */
  readonly kept: string | null;
  readonly fetched: FetchedRows;
  /** For each place of the page the row of its entity; -1 for an undefined reference (§2.3). */
  readonly rowOf: Int32Array;
  /** How many entities the set has, undefined references included. */
  readonly count: number;
  readonly first: number;
  readonly globalStamp: string;
}

/** What a request by way of an entity set comes to. */
export type SetResult =
  | SetPage
  | { readonly kind: 'intersects'; readonly value: boolean }
  /** Where the entity that was looked for stands, counted from 0; -1 where it is not one of the set's. */
  | { readonly kind: 'found'; readonly index: number };

/**
 * Runs a printed request by way of an entity set: its keys are selected or looked up, combined with those of another set, and
 * narrowed; they are kept where a set is made; and the entities of the page are read by their keys.
 * @throws ProtocolError noSuchEntitySet and the like, entitySetTooLarge, and what the database throws
 */
export async function runEntitySet(
  printed: PrintedEntitySet,
  values: readonly Literal[],
  execution: Execution,
  access: SetAccess,
): Promise<SetResult> {
  const { dataclass, combination, find } = printed.plan;
  const workspace = access.sets.workspace();
  try {
    const own: SetExecution = { access, workspace, ...execution };
    const keys = await sourceKeys(printed.source, dataclass, values, own);
    if (find !== null) {
      const { limits } = execution.database.dialect;
      const sought = soughtKey(find, values, dataclass, limits);
      return { kind: 'found', index: sought === null ? -1 : await keys.indexOf(sought) };
    }
    if (combination?.operator === 'intersect') {
      const other = await neededKeys(combination.other, dataclass, values, access, noOtherSet);
      const { signal } = execution.activity;
      return { kind: 'intersects', value: await intersects(keys, other, workspace, signal) };
    }
    const all = await combinedKeys(keys, printed.plan, values, own);
    return await answerKeys(printed, all, values, own);
  } finally {
    workspace.close();
  }
}

/**
 * Narrows keys, keeps them where a set is made, and reads the entities of the page.
 * @throws as {@link runEntitySet}
 */
export async function answerKeys(
  printed: PrintedEntitySet,
  given: KeyList,
  values: readonly Literal[],
  execution: SetExecution,
): Promise<SetPage> {
  const { dataclass, lifetime, isSorted } = printed.plan;
  const { access, workspace } = execution;
  const keys =
    printed.narrowing === null
      ? given
      : await narrowedKeys(given, printed.narrowing, values, execution);
  let kept: string | null = null;
  if (lifetime !== null) {
    // The store counts what it keeps by itself.
    workspace.close();
    const { sets, ...mine } = access;
    const seconds = slotNumber(lifetime, values);
    const set = { dataclass: dataclass.name, keys, lifetime: seconds, isSorted, ...mine };
    kept = await sets.add(set);
  }
  const from = slotNumber(printed.plan.skip, values);
  const window = { from, to: from + slotNumber(printed.plan.top, values) };
  try {
    return { kind: 'page', kept, ...(await readPage(printed, keys, window, values, execution)) };
  } catch (error) {
    // Nobody would ever learn its id.
    if (kept !== null) await access.sets.release(kept, access.audience);
    throw error;
  }
}

/**
 * Reads the entities of a page by their keys: one statement, and one for each to-many path.
 * @param from the place of the first key
 * @param to the place behind the last one; a place behind all keys is as good
 */
export async function readPage(
  { plan, page, globalStamp }: PrintedEntitySet,
  keys: KeyList,
  { from: first, to }: { readonly from: number; readonly to: number },
  values: readonly Literal[],
  execution: Execution,
): Promise<Omit<SetPage, 'kind' | 'kept'>> {
  const source = readingFrom(execution);
  const wanted = keys.slice(first, to);
  const rows =
    wanted.length === 0 ? [] : await source.run(page.statement, { values, rows: wanted });
  const rowOf = new Int32Array(wanted.length).fill(-1);
  for (const [index, row] of rows.entries()) rowOf[Number(row[0])] = index;
  const [stamp, children] = await Promise.all([
    globalStampOf(rows, plan.globalStampColumn, globalStamp, source),
    fetchChildren(page, rows, values, source),
  ]);
  return { fetched: { rows, children }, rowOf, count: keys.size, first, globalStamp: stamp };
}
