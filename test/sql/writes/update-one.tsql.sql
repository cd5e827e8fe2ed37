SET NOCOUNT ON;
DECLARE @k TABLE ("k0" int);
UPDATE "S"."T ""1""" SET "LABEL" = @p1, "VER" = CASE WHEN "T ""1"""."VER" IS NULL OR "T ""1"""."VER" >= CAST(255 AS bigint) THEN 1 ELSE "T ""1"""."VER" + 1 END, "LONG" = CASE WHEN "T ""1"""."LONG" IS NULL OR "T ""1"""."LONG" >= CAST(9223372036854775807 AS bigint) THEN 1 WHEN "T ""1"""."LONG" & CAST(9007199254740991 AS bigint) = CAST(9007199254740991 AS bigint) THEN "T ""1"""."LONG" + 2 ELSE "T ""1"""."LONG" + 1 END, "LOCAL" = DATEADD(second, @p2, SYSUTCDATETIME()), "ZONED" = SYSDATETIMEOFFSET(), "DAY" = CONVERT(date, DATEADD(second, @p2, SYSUTCDATETIME())), "A" = @p3, "B" = @p4
OUTPUT inserted."ID" INTO @k
WHERE "T ""1"""."ID" = @p5 AND COALESCE(NULLIF(CAST("T ""1"""."VER" AS bigint) & CAST(9007199254740991 AS bigint), 0), CAST(9007199254740991 AS bigint)) = @p6;
SELECT k."k0"
FROM @k k;
-- 1: part 2, nvarchar(20)
-- 2: offset
-- 3: bytes 0
-- 4: bytes 1
-- 5: part 0, int
-- 6: part 1, bigint
-- 1 columns
