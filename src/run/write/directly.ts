import { isProtocolError } from '../../base/errors.ts';
import { DatabaseRefusal } from '../../database/errors.ts';
import { sourceOn, type Execution, type StatementSource } from '../run.ts';
import type { WriteContext } from './attempt.ts';
import { areLocked } from './lock.ts';
import type { Outcome } from './outcome.ts';

/** Rolls a write back that the way which reads rows first has to make. */
export class NotDirectly extends Error {}

/**
 * Writes elements in one transaction without reading their rows first: with `$atomic` all, or none. Returns the outcomes of those that were written; what is
 * left alone, because a row was not found so, or a lock or the database was against it, is for the way that reads rows first and can tell why.
 * @param wanted how many elements there are
 */
export function writeDirectly(
  wanted: number,
  { atomic, dataclass }: WriteContext,
  execution: Execution,
  write: (source: StatementSource) => Promise<readonly Outcome[]>,
): Promise<readonly Outcome[]> {
  const { database, locks, activity } = execution;
  return orNone(() =>
    database.transaction(async (connection) => {
      const source = sourceOn(connection, execution);
      const written = await write(source);
      // The rows are locked by now: a later lock waits, and sees the change.
      const keys = written.flatMap(({ key }) => (key === null ? [] : [key]));
      const isWhole = !atomic || written.length === wanted;
      if (isWhole && !(await areLocked(keys, dataclass, { locks, source }))) return written;
      throw new NotDirectly();
    }, activity),
  );
}

/** The result of a write; nothing where it was not made for a reason which the way that reads rows first finds, or overcomes. */
export async function orNone<Result>(
  write: () => Promise<readonly Result[]>,
): Promise<readonly Result[]> {
  try {
    return await write();
  } catch (error) {
    const isLeft =
      error instanceof NotDirectly ||
      error instanceof DatabaseRefusal ||
      isProtocolError(error, 'deadlock');
    if (isLeft) return [];
    throw error;
  }
}
