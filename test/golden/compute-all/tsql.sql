-- values
SELECT a."c0", a."c1", a."c2", a."c3"
FROM (SELECT COUNT_BIG(*) AS "c0", SUM(CONVERT(decimal(38, 4), v."c0")) AS "c1", MIN(v."c0") AS "c2", MAX(v."c0") AS "c3"
FROM (SELECT t0."CRED_LIM" AS "c0"
FROM "SALES"."CMP_MST" t0) v
WHERE v."c0" IS NOT NULL) a;
