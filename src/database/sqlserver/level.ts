/**
 * Asks for the engine's version string and the database's compatibility level.
 * https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-databases-transact-sql
 */
export const VERSION_AND_LEVEL =
  'SELECT @@VERSION, (SELECT compatibility_level FROM sys.databases WHERE database_id = DB_ID())';

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
