import { expect, test } from 'vitest';
import { tsqlLocks } from '../../../src/sql/tsql/locks.ts';

/** https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-getapplock-transact-sql */
test('a lock is taken for the session, kept from others for the transaction, and waits for nothing', () => {
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
test('of many names it is only asked whether their locks are taken', () => {
  expect(tsqlLocks.test.text).toBe(
    "SELECT k.o FROM OPENJSON(@p1) WITH (o int '$[0]', n nvarchar(255) '$[1]') k" +
      " WHERE APPLOCK_TEST('public', k.n, 'Shared', 'Transaction') = 0",
  );
});
