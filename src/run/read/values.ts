import type { Row } from '../../database/database.ts';
import type { ComputePlan } from '../../plan/read/compute.ts';
import type { DistinctPlan } from '../../plan/read/distinct.ts';
import { ProtocolError } from '../../base/errors.ts';
import type { Literal, Slot } from '../../protocol/ast.ts';
import type { Dialect, Statement } from '../../sql/dialect.ts';
import { chosenKeys } from '../sets/narrow-keys.ts';
import { keysText } from '../rows-text.ts';
import { checkAddressed, slotNumber } from './read.ts';
import { type Execution, readingFrom } from '../run.ts';
import type { SetAccess, SetExecution } from '../sets/set-keys.ts';
import type { EntityWindow, ValueOrigin } from '../../plan/read/value-selection.ts';
import type { EntitySetPlan } from '../../plan/read/entity-set.ts';
import type { AddressedEntity } from '../../plan/condition/types.ts';
import type { Dataclass } from '../../model/types.ts';
import {
  type PrintedNarrowing,
  type PrintedStoredSet,
  printNarrowing,
  printStoredSet,
} from '../sets/print-entity-set.ts';

/**
 * Runs a printed computation: one statement, and for a set those that its keys take.
 * @returns the row of what is computed; null where nothing was looked at
 * @throws ProtocolError noSuchEntity, noSuchEntitySet and the like, and what the database throws
 */
export async function runCompute(
  { plan, origin, statement }: PrintedValues<ComputePlan>,
  values: readonly Literal[],
  execution: Execution,
  access: SetAccess,
): Promise<Row | null> {
  const [row] = await rowsOf(origin, statement, values, execution, access);
  if (Number(row?.[plan.columns.count] ?? 0) === 0) await checkOrigin(origin, values, execution);
  return row ?? null;
}

/**
 * Runs a printed question for distinct values, as {@link runCompute}.
 * @returns a row for each value
 * @throws ProtocolError as {@link runCompute}, and answerTooLarge where all values are asked for and are too many
 */
export async function runDistinct(
  { plan, origin, statement }: PrintedValues<DistinctPlan>,
  values: readonly Literal[],
  execution: Execution,
  access: SetAccess,
): Promise<readonly Row[]> {
  const top = slotNumber(plan.top, values);
  // SQL Server refuses to fetch 0 rows.
  const rows = top === 0 ? [] : await rowsOf(origin, statement, values, execution, access);
  if (rows.length === 0) await checkOrigin(origin, values, execution);
  if (!plan.all || rows.length < top) return rows;
  throw new ProtocolError(
    'answerTooLarge',
    `${plan.name} has more than ${top - 1} distinct values, which limits.maxTop allows in one answer: ask for them in windows, by $top and $skip.`,
  );
}

/** No value is an answer only where the entity exists that the path begins with. */
async function checkOrigin(
  origin: PrintedOrigin,
  values: readonly Literal[],
  execution: Execution,
): Promise<void> {
  if (origin.kind !== 'selection' || origin.origin === null) return;
  await checkAddressed(origin.origin, origin.addressed, values, readingFrom(execution));
}

async function rowsOf(
  origin: PrintedOrigin,
  statement: Statement,
  values: readonly Literal[],
  execution: Execution,
  access: SetAccess,
): Promise<readonly Row[]> {
  if (origin.kind === 'set') return rowsOfSet(origin, statement, values, execution, access);
  if (origin.top !== null && slotNumber(origin.top, values) === 0) return [];
  return readingFrom(execution).run(statement, { values });
}

/** All keys go into one statement: neither what is least, nor which values are the same, can be told of pieces but by the engine. */
async function rowsOfSet(
  origin: Extract<PrintedOrigin, { kind: 'set' }>,
  statement: Statement,
  values: readonly Literal[],
  execution: Execution,
  access: SetAccess,
): Promise<readonly Row[]> {
  const workspace = access.sets.workspace();
  try {
    const own: SetExecution = { access, workspace, ...execution };
    const keys = await chosenKeys(origin, values, own);
    const from = origin.window === null ? 0 : slotNumber(origin.window.skip, values);
    const to = origin.window === null ? keys.size : from + slotNumber(origin.window.top, values);
    const end = Math.min(to, keys.size);
    const rowsText = await keysText(keys, Math.min(from, end), end, statement, execution);
    workspace.scratch.reserve(rowsText.length);
    return await readingFrom(execution).run(statement, { values, rowsText });
  } finally {
    workspace.close();
  }
}

/** A plan for values with its statements printed: what is kept for all requests of one shape. */
export interface PrintedValues<Plan extends ComputePlan | DistinctPlan> {
  readonly plan: Plan;
  readonly origin: PrintedOrigin;
  readonly statement: Statement;
}

/** Whose values are asked for. */
type PrintedOrigin =
  | {
      readonly kind: 'selection';
      readonly origin: Statement | null;
      readonly addressed: AddressedEntity;
      readonly top: Slot | null;
    }
  | {
      readonly kind: 'set';
      readonly dataclass: Dataclass;
      readonly source: PrintedStoredSet;
      readonly combination: EntitySetPlan['combination'];
      readonly narrowing: PrintedNarrowing | null;
      readonly window: EntityWindow | null;
    };

/** Prints the statements of a plan. */
export function printValues<Plan extends ComputePlan | DistinctPlan>(
  plan: Plan,
  dialect: Dialect,
): PrintedValues<Plan> {
  return {
    plan,
    origin: printOrigin(plan.origin, dialect),
    statement: dialect.print(plan.query),
  };
}

function printOrigin(origin: ValueOrigin, dialect: Dialect): PrintedOrigin {
  if (origin.kind === 'selection') {
    const { origin: query } = origin;
    return { ...origin, origin: query === null ? null : dialect.print(query) };
  }
  const { source, narrowing } = origin;
  return {
    ...origin,
    source: printStoredSet(source, dialect),
    narrowing: narrowing === null ? null : printNarrowing(narrowing, dialect),
  };
}
