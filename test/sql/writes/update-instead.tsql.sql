SET NOCOUNT ON;
UPDATE "S"."T ""1""" SET "LABEL" = @p1, "AT" = CONVERT(datetime2(7), CASE WHEN CONVERT(date, CONVERT(datetimeoffset(7), REPLACE(LEFT(@p2, 27), 'Z', '') + 'Z', 127)) IN ('0001-01-01', '9999-12-31') THEN CONVERT(datetimeoffset(7), REPLACE(LEFT(@p2, 27), 'Z', '') + 'Z', 127) ELSE CONVERT(datetimeoffset(7), REPLACE(LEFT(@p2, 27), 'Z', '') + 'Z', 127) AT TIME ZONE N'Romance Standard Time' END), "SHAPE" = geography::STGeomFromText(@p3, COALESCE("T ""1"""."SHAPE".STSrid, 4326))
WHERE "T ""1"""."ID" = @p4 AND COALESCE(NULLIF(CAST("T ""1"""."VER" AS bigint) & CAST(9007199254740991 AS bigint), 0), CAST(9007199254740991 AS bigint)) = @p5;
SELECT 1
WHERE @@ROWCOUNT > 0;
-- 1: part 2, nvarchar(20)
-- 2: part 3, datetime
-- 3: part 4, geography
-- 4: part 0, int
-- 5: part 1, bigint
-- 1 columns
