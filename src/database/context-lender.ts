import { reason, StartupError } from '../base/errors.ts';
import { NOBODY } from '../base/principal.ts';
import { unattended } from '../base/observe/observer.ts';
import { plainStatement } from '../sql/statement.ts';
import type { Database } from './database.ts';
import type { Driver, DriverConnection } from './driver.ts';
import { failure } from './failure.ts';
import type { Lender } from './pool.ts';
import { supervised } from './supervise.ts';

/**
 * Lends connections whose database session knows the user, from before the first statement until before the next borrower. They
 * are given back when the context is cleared, without keeping the borrower; a connection that cannot be cleared is
 * closed. Returns the lender itself if no context is passed.
 */
export function withSessionContext(
  lender: Lender,
  { sessionContext, errors, limits }: Pick<Driver, 'sessionContext' | 'errors' | 'limits'>,
): Lender {
  if (sessionContext === null) return lender;
  const knowing = new WeakSet<DriverConnection>();
  const limit = limits.statement;
  return {
    acquire: async (activity, use) => {
      const context = sessionContext(activity.principal);
      const connection = await lender.acquire(activity, use);
      if (context === null) return connection;
      try {
        await supervised(connection, () => connection.setContext(context), {
          signal: activity.signal,
          limit,
          grace: limits.cancelRead,
        });
      } catch (error) {
        lender.release(connection, false);
        throw failure(error, { effect: 'read' }, errors);
      }
      knowing.add(connection);
      return connection;
    },
    release: (connection, isClean) => {
      if (!knowing.delete(connection) || !isClean) {
        lender.release(connection, isClean);
        return;
      }
      supervised(connection, connection.clearContext, {
        signal: null,
        limit,
        grace: limits.cancelRead,
      }).then(
        () => {
          lender.release(connection, true);
        },
        () => {
          lender.release(connection, false);
        },
      );
    },
  };
}

/**
 * Checks at the start whether the database takes the keys of the context.
 * @throws StartupError where it refuses the keys
 */
export async function checkSessionContext(
  database: Pick<Database, 'run'>,
  { sessionContext }: Pick<Driver, 'sessionContext'>,
): Promise<void> {
  if (sessionContext === null) return;
  const command = { statement: plainStatement('SELECT 1'), values: [] };
  try {
    await database.run(command, { ...unattended, principal: { ...NOBODY, name: '' } });
  } catch (error) {
    const message = `the user cannot be passed to the database: ${reason(error)}`;
    throw new StartupError([{ where: 'database.tellUser', message }]);
  }
}
