SET NOCOUNT ON;
DECLARE @k TABLE ("k0" int);
UPDATE "S"."T ""1""" SET "LABEL" = k.c0, "AT" = CONVERT(datetime2(7), CONVERT(datetimeoffset(7), REPLACE(LEFT(k.c1, 27), 'Z', '') + 'Z', 127) AT TIME ZONE N'Romance Standard Time'), "SHAPE" = geography::STGeomFromText(k.c2, COALESCE("T ""1"""."SHAPE".STSrid, 4326))
OUTPUT inserted."ID" INTO @k
FROM OPENJSON(@p1) WITH (k0 int '$[1]', s bigint '$[2]', c0 nvarchar(max) '$[3]', c1 varchar(50) '$[4]', c2 nvarchar(max) '$[5]') k
WHERE "T ""1"""."ID" = k.k0 AND COALESCE(NULLIF(CAST("T ""1"""."VER" AS bigint) & CAST(9007199254740991 AS bigint), 0), CAST(9007199254740991 AS bigint)) = k.s;
SELECT k."k0"
FROM @k k;
-- 1: rows [ordinal, int, bigint, nvarchar(20), datetime, geography]
-- 1 columns
