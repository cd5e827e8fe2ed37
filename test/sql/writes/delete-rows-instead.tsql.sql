SET NOCOUNT ON;
DECLARE @k TABLE ("k0" nvarchar(20) COLLATE Latin1_General_CI_AS, "k1" datetime);
DELETE
FROM "S"."T ""1"""
OUTPUT deleted."CODE", deleted."AT" INTO @k
WHERE "T ""1"""."CODE" = (SELECT k.k0 COLLATE Latin1_General_CI_AS
FROM OPENJSON(@p1) WITH (k0 nvarchar(4000) '$[1]') k) AND "T ""1"""."AT" = (SELECT CONVERT(datetime, CONVERT(datetimeoffset(7), k.k1, 127) AT TIME ZONE N'Romance Standard Time')
FROM OPENJSON(@p1) WITH (k1 varchar(50) '$[2]') k);
SELECT k."k0", CONVERT(varchar(27), CONVERT(datetime2(7), k."k1" AT TIME ZONE N'Romance Standard Time' AT TIME ZONE 'UTC'), 126)
FROM @k k;
-- 1: rows [ordinal, nvarchar(20), datetime]
-- 2 columns
