import { availableParallelism } from 'node:os';
import { StartupError } from '../../base/errors.ts';
import type { Config } from '../config.ts';

/**
 * How many processes are to serve together.
 * @throws StartupError at `server.workers` where the database can have one alone
 */
export function workerCount({
  server: { workers },
  database: { engine },
  locate,
}: Pick<Config, 'server' | 'database' | 'locate'>): number {
  if (engine !== 'pglite') return workers === 'auto' ? availableParallelism() : workers;
  if (workers === 'auto' || workers === 1) return 1;
  throw new StartupError([
    {
      where: locate('server.workers'),
      message:
        `the embedded database is in one process, and ${workers} cannot share it: ` +
        'leave server.workers out, or serve a PostgreSQL or SQL Server database',
    },
  ]);
}
