import { lockStatement } from '../ir/statement.ts';
import type { LockStatements } from '../dialect.ts';

/** Calls a procedure of application locks, and reads its status. */
function calling(procedure: string, options: string, answer: string): string {
  return `SET NOCOUNT ON; DECLARE @s int; EXEC @s = ${procedure} @Resource = @p1, ${options}; ${answer}`;
}

/** 0 and 1 are granted; all below 0 is not. */
const GRANTED = 'SELECT CASE WHEN @s >= 0 THEN 1 ELSE 0 END';

const NAMES = "OPENJSON(@p1) WITH (o int '$[0]', n nvarchar(255) '$[1]') k";

/**
 * Application locks, by the names themselves. A function tests many names in one query; the procedure would have to be called for each
 * (https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-getapplock-transact-sql,
 * https://learn.microsoft.com/sql/t-sql/functions/applock-test-transact-sql).
 */
export const tsqlLocks: LockStatements = {
  acquire: lockStatement(
    calling(
      'sp_getapplock',
      "@LockMode = 'Exclusive', @LockOwner = 'Session', @LockTimeout = 0",
      GRANTED,
    ),
    'one',
  ),
  release: lockStatement(calling('sp_releaseapplock', "@LockOwner = 'Session'", GRANTED), 'one'),
  held: lockStatement(
    "SELECT CASE APPLOCK_TEST('public', @p1, 'Shared', 'Session') WHEN 0 THEN 1 ELSE 0 END",
    'one',
  ),
  share: lockStatement(
    calling(
      'sp_getapplock',
      "@LockMode = 'Shared', @LockOwner = 'Transaction', @LockTimeout = 0",
      'SELECT 0 AS o WHERE @s < 0',
    ),
    'one',
  ),
  test: lockStatement(
    `SELECT k.o FROM ${NAMES} WHERE APPLOCK_TEST('public', k.n, 'Shared', 'Transaction') = 0`,
    'many',
  ),
  tests: 'names',
  mostShared: 1,
  given: (name) => name,
};
