SET NOCOUNT ON;
DECLARE @u TABLE ("k0" int);
UPDATE "S"."T ""1""" SET "LABEL" = k.c0, "VER" = CASE WHEN "T ""1"""."VER" IS NULL OR "T ""1"""."VER" >= CAST(255 AS bigint) THEN 1 ELSE "T ""1"""."VER" + 1 END, "LONG" = CASE WHEN "T ""1"""."LONG" IS NULL OR "T ""1"""."LONG" >= CAST(9223372036854775807 AS bigint) THEN 1 WHEN "T ""1"""."LONG" & CAST(9007199254740991 AS bigint) = CAST(9007199254740991 AS bigint) THEN "T ""1"""."LONG" + 2 ELSE "T ""1"""."LONG" + 1 END, "LOCAL" = DATEADD(second, @p1, SYSUTCDATETIME()), "ZONED" = SYSDATETIMEOFFSET(), "DAY" = CONVERT(date, DATEADD(second, @p1, SYSUTCDATETIME()))
OUTPUT inserted."ID" INTO @u
FROM OPENJSON(@p2) WITH (k0 int '$[1]', s bigint '$[2]', c0 nvarchar(max) '$[3]') k
WHERE "T ""1"""."ID" = k.k0 AND COALESCE(NULLIF(CAST("T ""1"""."VER" AS bigint) & CAST(9007199254740991 AS bigint), 0), CAST(9007199254740991 AS bigint)) = k.s AND ("T ""1"""."LABEL" <> k.c0 OR ("T ""1"""."LABEL" IS NULL AND k.c0 IS NOT NULL) OR ("T ""1"""."LABEL" IS NOT NULL AND k.c0 IS NULL));
SELECT k.o, "T ""1"""."LABEL"
FROM @u u
JOIN OPENJSON(@p2) WITH (o int '$[0]', k0 int '$[1]') k ON k.k0 = u."k0"
LEFT JOIN "S"."T ""1""" ON "T ""1"""."ID" = u."k0";
-- 1: offset
-- 2: rows [ordinal, int, bigint, nvarchar(20)]
-- 2 columns

