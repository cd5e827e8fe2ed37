-- values
SELECT a."c0", a."c1"
FROM (SELECT COUNT_BIG(*) AS "c0", SUM(CONVERT(float, v."c0")) AS "c1"
FROM (SELECT t0."DONE_PCT" AS "c0"
FROM "HR"."PRJ_HDR" t0) v
WHERE v."c0" IS NOT NULL) a;
