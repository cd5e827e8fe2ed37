-- values
SELECT a."c0", a."c1"
FROM (SELECT COUNT_BIG(*) AS "c0", SUM(CONVERT(decimal(38, 0), v."c0")) AS "c1"
FROM (SELECT t0."REG_NO" AS "c0"
FROM "SALES"."CMP_MST" t0) v
WHERE v."c0" IS NOT NULL) a;
