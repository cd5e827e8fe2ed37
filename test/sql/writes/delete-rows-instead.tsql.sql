SET NOCOUNT ON;
DELETE
FROM "S"."T ""1"""
WHERE "T ""1"""."CODE" = @p1 COLLATE Latin1_General_CI_AS AND "T ""1"""."AT" = CAST(CASE WHEN CONVERT(date, CONVERT(datetimeoffset(7), @p2, 127)) IN ('0001-01-01', '9999-12-31') THEN CONVERT(datetimeoffset(7), @p2, 127) ELSE CONVERT(datetimeoffset(7), @p2, 127) AT TIME ZONE N'Romance Standard Time' END AS datetime);
SELECT 1
WHERE @@ROWCOUNT > 0;
-- 1: part 0, nvarchar(20)
-- 2: part 1, datetime
-- 1 columns
