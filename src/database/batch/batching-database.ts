import type { Principal } from '../../base/principal.ts';
import type { BatchingDatabase, Command, Database, RunOptions } from '../database.ts';
import { retryingDeadlocks } from '../retry.ts';
import { CountBatcher } from './count-batcher.ts';
import { LookupBatcher } from './lookup-batcher.ts';

/**
 * A database that shares work between requests.
 * @param contextOf the session context of a user as text: work is shared only between users with equal contexts
 */
export function batchingDatabase(
  database: Database,
  contextOf: (principal: Principal) => string,
): BatchingDatabase {
  const lookups = new LookupBatcher(database, contextOf);
  const counts = new CountBatcher();
  const joinsBatch = ({ statement }: Command, { batch, fresh }: RunOptions): boolean => {
    if (batch !== true || fresh === true || statement.together === undefined) return false;
    // A slow filter would delay the other requests of its batch.
    return statement.filtered === undefined || database.isSelective?.(statement) === true;
  };
  return {
    ...database,
    run: (command, options) => {
      if (joinsBatch(command, options)) return lookups.run(command, options);
      // A read that was the victim of a deadlock has changed nothing.
      return command.statement.effect === 'read'
        ? retryingDeadlocks(() => database.run(command, options))
        : database.run(command, options);
    },
    epoch: () => counts.epoch(),
    count: (command, { signal, observer, principal }, epoch) => {
      const key = JSON.stringify([command.statement.text, command.values, contextOf(principal)]);
      const count = async (stopped: AbortSignal): Promise<number> => {
        const options = { signal: stopped, observer, principal };
        const { rows } = await retryingDeadlocks(() => database.run(command, options));
        return Number(rows[0]?.[0]);
      };
      let counted: Promise<number> | null = null;
      return {
        run: () => (counted ??= counts.count(key, epoch, signal, count)),
        isDueBeyond: (length) => {
          if ((counts.lastLength(key) ?? 0) <= length || counts.isKnown(key, epoch)) return false;
          const { size, used, waiting } = database.pool();
          // The page itself takes one, too.
          return used + 1 < size && waiting === 0;
        },
      };
    },
  };
}
