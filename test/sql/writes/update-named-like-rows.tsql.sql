SET NOCOUNT ON;
DECLARE @k TABLE ("k0" nvarchar(20) COLLATE Latin1_General_CI_AS, "k1" datetime);
UPDATE "S"."K" SET "LABEL" = kk.c0
OUTPUT inserted."CODE", inserted."AT" INTO @k
FROM OPENJSON(@p1) WITH (k0 nvarchar(4000) '$[1]', k1 nvarchar(50) '$[2]', c0 nvarchar(max) '$[3]') kk
WHERE "K"."CODE" = kk.k0 COLLATE Latin1_General_CI_AS AND "K"."AT" = CAST(CASE WHEN CONVERT(date, CONVERT(datetimeoffset(7), kk.k1, 127)) IN ('0001-01-01', '9999-12-31') THEN CONVERT(datetimeoffset(7), kk.k1, 127) ELSE CONVERT(datetimeoffset(7), kk.k1, 127) AT TIME ZONE N'Romance Standard Time' END AS datetime);
SELECT k."k0", CONVERT(nvarchar(27), CASE WHEN CONVERT(date, k."k1") IN ('0001-01-01', '9999-12-31') THEN CONVERT(datetime2(3), k."k1") ELSE CONVERT(datetime2(7), CONVERT(datetime2(3), k."k1") AT TIME ZONE N'Romance Standard Time' AT TIME ZONE 'UTC') END, 126)
FROM @k k;
-- 1: rows [ordinal, nvarchar(20), datetime, nvarchar(20)]
-- 2 columns
