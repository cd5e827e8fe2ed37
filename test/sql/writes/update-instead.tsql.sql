SET NOCOUNT ON;
UPDATE "S"."T ""1""" SET "LABEL" = @p1, "AT" = CONVERT(datetime2(7), LEFT(@p2, 27), 126), "SHAPE" = geography::STGeomFromText(@p3, COALESCE("T ""1"""."SHAPE".STSrid, 4326))
WHERE "T ""1"""."ID" = @p4 AND COALESCE(NULLIF(CAST("T ""1"""."VER" AS bigint) & CAST(9007199254740991 AS bigint), 0), CAST(9007199254740991 AS bigint)) = @p5;
SELECT 1
WHERE @@ROWCOUNT > 0;
-- 1: part 2, nvarchar(20)
-- 2: part 3, datetime
-- 3: part 4, geography
-- 4: part 0, int
-- 5: part 1, bigint
-- 1 columns
