-- values
SELECT a."c0", CONVERT(nvarchar(27), CONVERT(datetime2(7), SWITCHOFFSET(a."c1", '+00:00')), 126), CONVERT(nvarchar(27), CONVERT(datetime2(7), SWITCHOFFSET(a."c2", '+00:00')), 126)
FROM (SELECT COUNT_BIG(*) AS "c0", MIN(v."c0") AS "c1", MAX(v."c0") AS "c2"
FROM (SELECT t0."ORD_TS" AS "c0"
FROM "SALES"."ORD_HDR" t0) v
WHERE v."c0" IS NOT NULL) a;
