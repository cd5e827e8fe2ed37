import { intersects } from '../../state/entity-set/combine.ts';
import type { Row } from '../../database/database.ts';
import { decodeRows } from '../../database/long-text.ts';
import { indexOf, type StoredKeys } from '../../state/entity-set/keys.ts';
import type { Literal, ParameterRef } from '../../protocol/ast.ts';
import { combinedKeys, narrowKeys } from './narrow-keys.ts';
import type { EntitySetPlan } from '../../plan/read/entity-set.ts';
import {
  fetchChildren,
  globalStampOf,
  parameterNumber,
  type ReadResult,
  rowsOf,
} from '../read/read.ts';
import { cellText, type FoundRows, readingFrom } from '../run.ts';
import {
  neededKeys,
  noOtherSet,
  type SetExecution,
  type SetRequest,
  parameterText,
  sourceKeys,
  wholeList,
  withWorkspace,
} from './set-keys.ts';
import type { Dataclass } from '../../model/types.ts';
import { isReadByType, unpadded } from '../../schema/type-rules.ts';
import type { ValueLimits } from '../../sql/dialect.ts';
import { urlKey } from '../body/entity-key.ts';
import type { KeyTexts } from '../convert/types.ts';

/** A page of an entity set; its count includes undefined references, and encoded rows are in the order of their positions. */
export interface SetPage extends ReadResult {
  readonly kind: 'page';
  /** The id of the set that the answer names: the one that was made, or of which the page is asked for; null where it names none. */
  readonly setId: string | null;
  /** For each position on the page the row of its entity; -1 for an undefined reference (§2.3). */
  readonly rowOf: Int32Array;
}

/** The result of a request by way of an entity set. */
export type SetResult =
  | SetPage
  | { readonly kind: 'intersects'; readonly value: boolean }
  /** The index of the entity that was looked for; -1 when it is not in the set. */
  | { readonly kind: 'found'; readonly index: number };

/** Runs a request by way of an entity set: finds its keys, combines, narrows and keeps them, and reads the entities of the page by their keys. */
export async function runEntitySet(
  plan: EntitySetPlan,
  request: SetRequest,
  encoded = false,
): Promise<SetResult> {
  const { dataclass, combination, find } = plan;
  return withWorkspace(request, async (own): Promise<SetResult> => {
    const keys = await sourceKeys(plan.source, dataclass, own);
    if (find !== null) {
      const { limits } = request.database.dialect;
      const sought = soughtKey(find, request.values, dataclass, limits);
      if (sought === null) return { kind: 'found', index: -1 };
      const key = await spelledKey(sought, plan, request);
      return { kind: 'found', index: await indexOf(keys, key, request.activity.signal) };
    }
    if (combination?.operator === 'intersect') {
      const other = await neededKeys(combination.other, dataclass, own, noOtherSet);
      const { signal } = request.activity;
      return { kind: 'intersects', value: await intersects(keys, other, own.workspace, signal) };
    }
    return answerKeys(plan, await combinedKeys(keys, plan, own), own, encoded);
  });
}

/** Narrows keys, keeps them where a set is made, and reads the entities of the page. @throws as {@link runEntitySet} */
export async function answerKeys(
  plan: EntitySetPlan,
  given: StoredKeys,
  execution: SetExecution,
  encoded = false,
): Promise<SetPage> {
  const { dataclass, lifetime, isSorted, namedSet, narrowing } = plan;
  const { access, workspace, values } = execution;
  const keys = narrowing === null ? given : await narrowKeys(given, narrowing, execution);
  let kept: string | null = null;
  if (lifetime !== null) {
    const whole = await wholeList(keys, execution);
    // The store counts what it keeps by itself.
    workspace.close();
    const { sets, ...mine } = access;
    const seconds = parameterNumber(lifetime, values);
    const { name, definition } = dataclass;
    const set = { dataclass: name, definition: definition(), keys: whole, isSorted, ...mine };
    kept = await sets.add({ lifetime: seconds, ...set });
  }
  const from = parameterNumber(plan.skip, values);
  const window = { from, to: from + parameterNumber(plan.top, values) };
  try {
    const page = await readPage(plan, keys, window, execution, encoded);
    const setId = namedSet === null ? kept : parameterText(namedSet, values);
    return { kind: 'page', setId, ...page };
  } catch (error) {
    // Nobody would ever learn its id.
    if (kept !== null) await access.sets.release(kept, access.audience);
    throw error;
  }
}

/** Reads the entities whose keys are at `from` to before `to`, if there are as many: one statement, and one for each to-many path. */
export async function readPage(
  { page, globalStamp, globalStampColumn }: EntitySetPlan,
  keys: StoredKeys,
  { from: first, to }: { readonly from: number; readonly to: number },
  request: SetRequest,
  encoded = false,
): Promise<Omit<SetPage, 'kind' | 'setId'>> {
  const { values, activity } = request;
  const source = readingFrom(request, { encoded });
  const wanted = await keys.slice(first, to);
  const found =
    wanted.length === 0
      ? { rows: [] }
      : await rowsOf(page.statement, { values, rows: wanted }, source);
  const { rows, rowOf, ...asTheyCame } = await byPosition(found, wanted.length, activity.signal);
  const [stamp, children] = await Promise.all([
    globalStampOf(asTheyCame.encoded ?? rows, globalStampColumn, globalStamp, source),
    fetchChildren(page, rows, values, source),
  ]);
  const fetched = { rows, children };
  return { fetched, rowOf, count: keys.size, first, globalStamp: stamp, ...asTheyCame };
}

/** Finds the row of each position, with which rows begin. Rows that came in another order are decoded. */
async function byPosition(
  { rows, encoded }: FoundRows,
  size: number,
  signal: AbortSignal,
): Promise<Pick<SetPage, 'rowOf' | 'encoded'> & { readonly rows: readonly Row[] }> {
  const rowOf = new Int32Array(size).fill(-1);
  if (encoded === undefined) {
    for (const [index, row] of rows.entries()) rowOf[Number(row[0])] = index;
    return { rows, rowOf };
  }
  const cursor = encoded.cursor();
  let last = -1;
  for (let index = 0; cursor.next(); index += 1) {
    const position = Number(cursor.text(0));
    if (position <= last)
      return byPosition({ rows: await decodeRows(encoded, signal) }, size, signal);
    rowOf[position] = index;
    last = position;
  }
  return { rows, encoded, rowOf };
}

/** A key as its row spells it, where only the database knows which texts are one value. */
async function spelledKey(
  key: KeyTexts,
  { dataclass, page: { statement, shape } }: EntitySetPlan,
  request: SetRequest,
): Promise<KeyTexts> {
  if (!dataclass.key.some(({ columnType }) => isReadByType(columnType))) return key;
  const inputs = { values: request.values, rows: [key] };
  const [row] = await readingFrom(request).run(statement, inputs);
  return row === undefined
    ? key
    : shape.key.map(({ column }) => cellText(statement, row, column) ?? '');
}

/** A key as sets hold it, so that the two can be compared; null for what no entity's key can be. */
function soughtKey(
  parts: readonly ParameterRef[],
  values: readonly Literal[],
  dataclass: Dataclass,
  limits: ValueLimits,
): KeyTexts | null {
  const literals = parts.map(({ parameter }) => values[parameter]);
  const key = urlKey(literals, dataclass.key, dataclass, limits);
  if (key === null) return null;
  return dataclass.key.map(({ columnType }, part) => unpadded(key[part] ?? '', columnType));
}
