import type { Row } from '../../database/database.ts';
import type { ComputePlan } from '../../plan/read/compute.ts';
import type { DistinctPlan } from '../../plan/read/distinct.ts';
import { ProtocolError } from '../../base/errors.ts';
import type { Statement } from '../../sql/ir/statement.ts';
import { chosenKeys } from '../sets/narrow-keys.ts';
import { keysText, readingFrom } from '../run.ts';
import { checkAddressed, parameterNumber } from './read.ts';
import { type SetExecution, type SetRequest, withWorkspace } from '../sets/set-keys.ts';
import type { ValueOrigin } from '../../plan/read/value-selection.ts';

/** Runs a computation, and returns its row, null where there was nothing to compute: one statement, and for a set those that its keys take. */
export async function runCompute(
  { origin, statement, columns }: ComputePlan,
  request: SetRequest,
): Promise<Row | null> {
  const [row] = await rowsOf(origin, statement, request);
  if (Number(row?.[columns.count] ?? 0) === 0) await checkOrigin(origin, request);
  return row ?? null;
}

/** Reads distinct values, a row for each. @throws ProtocolError answerTooLarge where all values are asked for and are too many */
export async function runDistinct(
  { origin, statement, all, name, top: topParameter }: DistinctPlan,
  request: SetRequest,
): Promise<readonly Row[]> {
  const top = parameterNumber(topParameter, request.values);
  // SQL Server refuses to fetch 0 rows.
  const rows = top === 0 ? [] : await rowsOf(origin, statement, request);
  if (rows.length === 0) await checkOrigin(origin, request);
  if (!all || rows.length < top) return rows;
  const message = `${name} has more than ${top - 1} distinct values, the most that one answer has: ask for them in windows, by $top and $skip.`;
  throw new ProtocolError('answerTooLarge', message);
}

/** No value is an answer only where the entity exists that the path begins with. */
export async function checkOrigin(origin: ValueOrigin, request: SetRequest): Promise<void> {
  if (origin.kind !== 'selection' || origin.origin === null) return;
  await checkAddressed(origin.origin, origin.addressed, request.values, readingFrom(request));
}

/** The rows of a statement for values, none where none of the entities are looked at. */
export async function rowsOf(
  origin: ValueOrigin,
  statement: Statement,
  request: SetRequest,
): Promise<readonly Row[]> {
  const { values } = request;
  if (origin.kind === 'set') {
    return withWorkspace(request, (own) => rowsOfSet(origin, statement, own));
  }
  if (origin.top !== null && parameterNumber(origin.top, values) === 0) return [];
  return readingFrom(request).run(statement, { values });
}

/** All keys go into one statement: neither what is least, nor which values are the same, can be told of pieces but by the engine. */
async function rowsOfSet(
  origin: Extract<ValueOrigin, { kind: 'set' }>,
  statement: Statement,
  own: SetExecution,
): Promise<readonly Row[]> {
  const { values, workspace } = own;
  const keys = await chosenKeys(origin, own);
  const from = origin.window === null ? 0 : parameterNumber(origin.window.skip, values);
  const to = origin.window === null ? keys.size : from + parameterNumber(origin.window.top, values);
  const end = Math.min(to, keys.size);
  const rowsText = await keysText(keys, Math.min(from, end), end, statement, own);
  workspace.scratch.reserve(rowsText.length);
  return readingFrom(own).run(statement, { values, rowsText });
}
