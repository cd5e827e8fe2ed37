SET NOCOUNT ON;
DELETE
FROM "S"."T ""1"""
WHERE "T ""1"""."CODE" = @p1 COLLATE Latin1_General_CI_AS AND "T ""1"""."AT" = CONVERT(datetime, CONVERT(datetime2(7), @p2, 126));
SELECT 1
WHERE @@ROWCOUNT > 0;
-- 1: part 0, nvarchar(20)
-- 2: part 1, datetime
-- 1 columns
