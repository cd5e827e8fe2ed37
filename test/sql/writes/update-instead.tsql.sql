SET NOCOUNT ON;
DECLARE @k TABLE ("k0" int);
UPDATE "S"."T ""1""" SET "LABEL" = (SELECT k.c0
FROM OPENJSON(@p1) WITH (c0 nvarchar(max) '$[3]') k), "AT" = CONVERT(datetime2(7), CONVERT(datetimeoffset(7), REPLACE(LEFT((SELECT k.c1
FROM OPENJSON(@p1) WITH (c1 varchar(50) '$[4]') k), 27), 'Z', '') + 'Z', 127) AT TIME ZONE N'Romance Standard Time'), "SHAPE" = geography::STGeomFromText((SELECT k.c2
FROM OPENJSON(@p1) WITH (c2 nvarchar(max) '$[5]') k), COALESCE("T ""1"""."SHAPE".STSrid, 4326))
OUTPUT inserted."ID" INTO @k
WHERE "T ""1"""."ID" = (SELECT k.k0
FROM OPENJSON(@p1) WITH (k0 int '$[1]') k) AND COALESCE(NULLIF(CAST("T ""1"""."VER" AS bigint) & CAST(9007199254740991 AS bigint), 0), CAST(9007199254740991 AS bigint)) = (SELECT k.s
FROM OPENJSON(@p1) WITH (s bigint '$[2]') k);
SELECT k."k0"
FROM @k k;
-- 1: rows [ordinal, int, bigint, nvarchar(20), datetime, geography]
-- 1 columns
