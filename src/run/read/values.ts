import type { Row } from '../../database/database.ts';
import type { ComputePlan } from '../../plan/read/compute.ts';
import type { DistinctPlan } from '../../plan/read/distinct.ts';
import { ProtocolError } from '../../base/errors.ts';
import type { Literal } from '../../protocol/ast.ts';
import type { Statement } from '../../sql/ir/statement.ts';
import { chosenKeys } from '../sets/narrow-keys.ts';
import { type Execution, keysText, readingFrom } from '../run.ts';
import { checkAddressed, parameterNumber } from './read.ts';
import { type SetAccess, type SetExecution, withWorkspace } from '../sets/set-keys.ts';
import type { ValueOrigin } from '../../plan/read/value-selection.ts';

/** Runs a computation, and returns its row, null where there was nothing to compute: one statement, and for a set those that its keys take. */
export async function runCompute(
  { origin, statement, columns }: ComputePlan,
  values: readonly Literal[],
  execution: Execution,
  access: SetAccess,
): Promise<Row | null> {
  const [row] = await rowsOf(origin, statement, values, execution, access);
  if (Number(row?.[columns.count] ?? 0) === 0) await checkOrigin(origin, values, execution);
  return row ?? null;
}

/** Reads distinct values, a row for each. @throws ProtocolError answerTooLarge where all values are asked for and are too many */
export async function runDistinct(
  { origin, statement, all, name, top: topParameter }: DistinctPlan,
  values: readonly Literal[],
  execution: Execution,
  access: SetAccess,
): Promise<readonly Row[]> {
  const top = parameterNumber(topParameter, values);
  // SQL Server refuses to fetch 0 rows.
  const rows = top === 0 ? [] : await rowsOf(origin, statement, values, execution, access);
  if (rows.length === 0) await checkOrigin(origin, values, execution);
  if (!all || rows.length < top) return rows;
  const message = `${name} has more than ${top - 1} distinct values, which limits.maxTop allows in one answer: ask for them in windows, by $top and $skip.`;
  throw new ProtocolError('answerTooLarge', message);
}

/** No value is an answer only where the entity exists that the path begins with. */
async function checkOrigin(
  origin: ValueOrigin,
  values: readonly Literal[],
  execution: Execution,
): Promise<void> {
  if (origin.kind !== 'selection' || origin.origin === null) return;
  await checkAddressed(origin.origin, origin.addressed, values, readingFrom(execution));
}

async function rowsOf(
  origin: ValueOrigin,
  statement: Statement,
  values: readonly Literal[],
  execution: Execution,
  access: SetAccess,
): Promise<readonly Row[]> {
  if (origin.kind === 'set') {
    return withWorkspace(values, execution, access, (own) => rowsOfSet(origin, statement, own));
  }
  if (origin.top !== null && parameterNumber(origin.top, values) === 0) return [];
  return readingFrom(execution).run(statement, { values });
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
