SET NOCOUNT ON;
SET XACT_ABORT ON;
DECLARE @s int = 0, @n int = 0;
BEGIN TRANSACTION;
EXEC @s = sp_getapplock @Resource = @p3, @LockMode = 'Shared', @LockOwner = 'Transaction', @LockTimeout = 0;
IF @s >= 0 BEGIN UPDATE "S"."T ""1""" SET "LABEL" = @p1, "VER" = CASE WHEN "T ""1"""."VER" IS NULL OR "T ""1"""."VER" >= CAST(255 AS bigint) THEN 1 ELSE "T ""1"""."VER" + 1 END, "LONG" = CASE WHEN "T ""1"""."LONG" IS NULL OR "T ""1"""."LONG" >= CAST(9223372036854775807 AS bigint) THEN 1 WHEN "T ""1"""."LONG" & CAST(9007199254740991 AS bigint) = CAST(9007199254740991 AS bigint) THEN "T ""1"""."LONG" + 2 ELSE "T ""1"""."LONG" + 1 END, "LOCAL" = DATEADD(second, @p2, SYSUTCDATETIME()), "ZONED" = SYSDATETIMEOFFSET(), "DAY" = CONVERT(date, DATEADD(second, @p2, SYSUTCDATETIME()))
WHERE "T ""1"""."ID" = @p5 AND "T ""1"""."VER" = @p4 AND ("T ""1"""."LABEL" <> @p1 OR ("T ""1"""."LABEL" IS NULL AND @p1 IS NOT NULL) OR ("T ""1"""."LABEL" IS NOT NULL AND @p1 IS NULL));
SET @n = @@ROWCOUNT;
END;
SELECT 0 AS o, "T ""1"""."LABEL"
FROM "S"."T ""1"""
WHERE @n = 1 AND "T ""1"""."ID" = @p5 AND NOT ("T ""1"""."VER" = @p4);
IF @@ROWCOUNT = 1 COMMIT ELSE ROLLBACK;
-- 1: part 2, nvarchar(20)
-- 2: offset
-- 3: part 3, nvarchar(255)
-- 4: part 1, bigint
-- 5: part 0, int
-- 2 columns

