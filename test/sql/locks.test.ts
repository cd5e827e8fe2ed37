import { expect, test } from 'vitest';
import { postgresLocks } from '../../src/sql/postgres/locks.ts';
import { tsqlLocks } from '../../src/sql/tsql/locks.ts';

/** https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-getapplock-transact-sql */
test('T-SQL: a lock is taken for the session, kept from others for the transaction, and waits for nothing', () => {
  expect(tsqlLocks.acquire.text).toBe(
    "SET NOCOUNT ON; DECLARE @s int; EXEC @s = sp_getapplock @Resource = @p1, @LockMode = 'Exclusive'," +
      " @LockOwner = 'Session', @LockTimeout = 0; SELECT CASE WHEN @s >= 0 THEN 1 ELSE 0 END",
  );
  expect(tsqlLocks.share.text).toBe(
    "SET NOCOUNT ON; DECLARE @s int; EXEC @s = sp_getapplock @Resource = @p1, @LockMode = 'Shared'," +
      " @LockOwner = 'Transaction', @LockTimeout = 0; SELECT 0 AS o WHERE @s < 0",
  );
  expect(tsqlLocks.release.text).toBe(
    'SET NOCOUNT ON; DECLARE @s int; EXEC @s = sp_releaseapplock @Resource = @p1,' +
      " @LockOwner = 'Session'; SELECT CASE WHEN @s >= 0 THEN 1 ELSE 0 END",
  );
});

/** https://learn.microsoft.com/sql/t-sql/functions/applock-test-transact-sql */
test('T-SQL: of many names it is only asked whether their locks are taken', () => {
  expect(tsqlLocks.test.text).toBe(
    "SELECT k.o FROM OPENJSON(@p1) WITH (o int '$[0]', n nvarchar(255) '$[1]') k" +
      " WHERE APPLOCK_TEST('public', k.n, 'Shared', 'Transaction') = 0",
  );
});

/** https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS */
test('PostgreSQL: a lock is known by a number that is made of its name', () => {
  const number = (name: string): string =>
    `('x' || substr(encode(sha256(convert_to(${name}, 'UTF8')), 'hex'), 1, 16))::bit(64)::bigint`;
  const names =
    '(SELECT (e->>0)::int4 AS o, (e->>1) AS n FROM json_array_elements($1::json) e LIMIT json_array_length($1::json)) k';
  expect(postgresLocks.acquire.text).toBe(`SELECT pg_try_advisory_lock(${number('$1')})::int`);
  expect(postgresLocks.release.text).toBe(`SELECT pg_advisory_unlock(${number('$1')})::int`);
  expect(postgresLocks.share.text).toBe(
    `SELECT k.o FROM ${names} WHERE NOT pg_try_advisory_xact_lock_shared(${number('k.n')})`,
  );
  const held =
    "SELECT (classid::bigint << 32) | objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND granted" +
    ' AND objsubid = 1 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())';
  expect(postgresLocks.held.text).toBe(`SELECT (${number('$1')} IN (${held}))::int`);
  expect(postgresLocks.test.text).toBe(held);
});
