-- values
SELECT a."c0", a."c1", a."c2"
FROM (SELECT COUNT_BIG(*) AS "c0", MIN(v."c0") AS "c1", MAX(v."c0") AS "c2"
FROM (SELECT t0."ORD_TS" AS "c0"
FROM "SALES"."ORD_HDR" t0) v
WHERE v."c0" IS NOT NULL) a;
