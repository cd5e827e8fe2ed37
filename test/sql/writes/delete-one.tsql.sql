SET NOCOUNT ON;
DECLARE @k TABLE ("k0" nvarchar(20) COLLATE Latin1_General_CI_AS, "k1" datetime);
DELETE
FROM "S"."T ""1"""
OUTPUT deleted."CODE", deleted."AT" INTO @k
WHERE "T ""1"""."CODE" = @p1 COLLATE Latin1_General_CI_AS AND "T ""1"""."AT" = CAST(CASE WHEN CONVERT(date, CONVERT(datetimeoffset(7), @p2, 127)) IN ('0001-01-01', '9999-12-31') THEN CONVERT(datetimeoffset(7), @p2, 127) ELSE CONVERT(datetimeoffset(7), @p2, 127) AT TIME ZONE N'Romance Standard Time' END AS datetime);
SELECT k."k0", CONVERT(nvarchar(27), CASE WHEN CONVERT(date, k."k1") IN ('0001-01-01', '9999-12-31') THEN CONVERT(datetime2(3), k."k1") ELSE CONVERT(datetime2(7), CONVERT(datetime2(3), k."k1") AT TIME ZONE N'Romance Standard Time' AT TIME ZONE 'UTC') END, 126)
FROM @k k;
-- 1: part 0, nvarchar(20)
-- 2: part 1, datetime
-- 2 columns
