SET NOCOUNT ON;
DECLARE @k TABLE ("k0" int);
DELETE
FROM "S"."T ""1"""
OUTPUT deleted."ID" INTO @k
FROM OPENJSON(@p1) WITH (k0 int '$[1]', s bigint '$[2]') k
WHERE "T ""1"""."ID" = k.k0 AND COALESCE(NULLIF(CAST("T ""1"""."VER" AS bigint) & CAST(9007199254740991 AS bigint), 0), CAST(9007199254740991 AS bigint)) = k.s;
SELECT k."k0"
FROM @k k;
-- 1: rows [ordinal, int, bigint]
-- 1 columns
