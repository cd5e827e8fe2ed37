SET NOCOUNT ON;
DECLARE @k TABLE ("k0" int);
UPDATE "S"."T ""1""" SET "boolean" = k.c0, "counter" = k.c1, "id" = k.c2, "long" = k.c3, "decimal" = CONVERT(decimal(12, 2), k.c4), "money" = CONVERT(decimal(19, 4), k.c5), "float" = k.c6, "text" = k.c7, "padded" = k.c8, "uuid" = k.c9, "date" = CONVERT(date, k.c10, 23), "local" = CONVERT(datetime2(7), LEFT(k.c11, 27), 126), "zoned" = CONVERT(datetimeoffset(7), REPLACE(LEFT(k.c12, 27), 'Z', '') + 'Z', 127), "time" = CONVERT(time(7), LEFT(k.c13, 16), 121), "json" = k.c14, "jsonText" = k.c15, "binary" = CONVERT(varbinary(max), k.c16, 2), "opaque" = geography::STGeomFromText(k.c17, COALESCE("T ""1"""."opaque".STSrid, 4326)), "geometry" = geometry::STGeomFromText(k.c18, COALESCE("T ""1"""."geometry".STSrid, 0)), "hierarchy" = hierarchyid::Parse(k.c19), "xml" = CONVERT(xml, k.c20, 1)
OUTPUT inserted."ID" INTO @k
FROM OPENJSON(@p1) WITH (k0 int '$[1]', c0 bit '$[2]', c1 tinyint '$[3]', c2 int '$[4]', c3 bigint '$[5]', c4 nvarchar(50) '$[6]', c5 nvarchar(50) '$[7]', c6 float '$[8]', c7 nvarchar(max) '$[9]', c8 nvarchar(max) '$[10]', c9 uniqueidentifier '$[11]', c10 nvarchar(50) '$[12]', c11 nvarchar(50) '$[13]', c12 nvarchar(50) '$[14]', c13 nvarchar(50) '$[15]', c14 nvarchar(max) '$[16]', c15 nvarchar(max) '$[17]', c16 nvarchar(max) '$[18]', c17 nvarchar(max) '$[19]', c18 nvarchar(max) '$[20]', c19 nvarchar(max) '$[21]', c20 nvarchar(max) '$[22]') k
WHERE "T ""1"""."ID" = k.k0;
SELECT k."k0"
FROM @k k;
-- 1: rows [ordinal, int, bit, tinyint, int, bigint, decimal(12,2), money, float, nvarchar(20), char(5), uniqueidentifier, date, datetime, datetimeoffset(7), time(7), nvarchar(max), varchar(max), varbinary, geography, geometry, hierarchyid, xml]
-- 1 columns
