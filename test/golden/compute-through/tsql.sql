-- values
SELECT a."c0", a."c1"
FROM (SELECT COUNT_BIG(*) AS "c0", SUM(v."c0") AS "c1"
FROM (SELECT t1."BUDGET_AMT" AS "c0"
FROM (SELECT t0."EMP_NO" AS "c0"
FROM "HR"."TBL_EMP" t0) h
JOIN (SELECT DISTINCT t2."EMP_NO" AS "c0", t2."PRJ_ID" AS "c1"
FROM "HR"."EMP_PRJ" t2) t1l ON h."c0" = t1l."c0"
JOIN "HR"."PRJ_HDR" t1 ON t1l."c1" = t1."PRJ_ID") v
WHERE v."c0" IS NOT NULL) a;
