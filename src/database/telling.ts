import { StartupError } from '../base/errors.ts';
import { NOBODY } from '../base/principal.ts';
import { reason } from '../base/reason.ts';
import { unattended } from '../observe/observer.ts';
import { plainStatement } from '../sql/statement.ts';
import type { Database } from './database.ts';
import type { Driver, DriverConnection } from './driver.ts';
import { failure } from './failure.ts';
import type { Lender } from './pool.ts';
import { supervised } from './supervise.ts';

/**
 * Lends connections on which the database knows who asks, from before the first statement until before anybody else has them. They
 * are given back when the database has forgotten it, which who used them does not wait for; a connection on which it may not have
 * forgotten it is broken off. Where nothing is told, it is the lender itself.
 */
export function telling(
  lender: Lender,
  { tellWho, errors, limits }: Pick<Driver, 'tellWho' | 'errors' | 'limits'>,
): Lender {
  if (tellWho === null) return lender;
  const knowing = new WeakSet<DriverConnection>();
  const limit = limits.statement;
  return {
    acquire: async (activity, use) => {
      const told = tellWho(activity.principal);
      const connection = await lender.acquire(activity, use);
      if (told === null) return connection;
      try {
        await supervised(connection, () => connection.tell(told), {
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
      supervised(connection, connection.forget, {
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
 * Sees at the start whether the database takes what it is to be told.
 * @throws StartupError where it refuses the keys
 */
export async function checkTelling(
  database: Pick<Database, 'run'>,
  { tellWho }: Pick<Driver, 'tellWho'>,
): Promise<void> {
  if (tellWho === null) return;
  const command = { statement: plainStatement('SELECT 1'), values: [] };
  try {
    await database.run(command, { ...unattended, principal: { ...NOBODY, name: '' } });
  } catch (error) {
    const message = `the database cannot be told who asks: ${reason(error)}`;
    throw new StartupError([{ where: 'database.tellUser', message }]);
  }
}
