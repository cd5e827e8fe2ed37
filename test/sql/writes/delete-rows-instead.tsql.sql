SET NOCOUNT ON;
DECLARE @k TABLE ("k0" nvarchar(20) COLLATE Latin1_General_CI_AS, "k1" datetime);
DELETE
FROM "S"."T ""1"""
OUTPUT deleted."CODE", deleted."AT" INTO @k
FROM OPENJSON(@p1) WITH (k0 nvarchar(4000) '$[1]', k1 varchar(50) '$[2]') k
WHERE "T ""1"""."CODE" = k.k0 COLLATE Latin1_General_CI_AS AND "T ""1"""."AT" = CONVERT(datetime, CONVERT(datetimeoffset(7), k.k1, 127) AT TIME ZONE N'Romance Standard Time');
SELECT k."k0", CONVERT(varchar(27), CONVERT(datetime2(7), k."k1" AT TIME ZONE N'Romance Standard Time' AT TIME ZONE 'UTC'), 126)
FROM @k k;
-- 1: rows [ordinal, nvarchar(20), datetime]
-- 2 columns
