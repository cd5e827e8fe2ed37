/**
 * Asks for the engine's version string, the database's compatibility level, and whether its reads are of snapshots.
 * https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-databases-transact-sql
 */
export const VERSION_AND_LEVEL =
  'SELECT @@VERSION, compatibility_level, is_read_committed_snapshot_on' +
  ' FROM (SELECT DB_ID() AS id) own LEFT JOIN sys.databases ON database_id = id';

/** The level that OPENJSON needs: https://learn.microsoft.com/sql/t-sql/functions/openjson-transact-sql */
const LOWEST = 130;

/** What is wrong with a database's compatibility level, with the mend, or null; levels of what is no SQL Server say nothing. */
export function levelProblem(version: string, level: unknown): string | null {
  const isSqlServer = version.startsWith('Microsoft SQL');
  if (!isSqlServer || typeof level !== 'number' || level >= LOWEST) return null;
  return (
    `the database has compatibility level ${level}, and the gateway needs at least ${LOWEST}: ` +
    `ALTER DATABASE CURRENT SET COMPATIBILITY_LEVEL = ${LOWEST}, on SQL Server 2016 or later`
  );
}

/**
 * What would serve everybody better, in sentences without a full stop. Where reads are no snapshots they wait for whoever writes, and
 * the gateway's own wait for a legacy program's long transactions.
 * https://learn.microsoft.com/sql/t-sql/statements/alter-database-transact-sql-set-options#read_committed_snapshot
 * @param isSnapshot what `is_read_committed_snapshot_on` says; anything but a boolean says nothing
 */
export function lockingAdvice(isSnapshot: unknown): readonly string[] {
  return isSnapshot === false
    ? [
        'is_read_committed_snapshot_on is 0: reads wait for writes, and writes for reads. ' +
          'ALTER DATABASE CURRENT SET READ_COMMITTED_SNAPSHOT ON lets neither wait for the other',
      ]
    : [];
}
