-- values
SELECT a."c0"
FROM (SELECT MIN(v."c0" COLLATE "C") AS "c0", MIN(v."c0") AS "c1"
FROM (SELECT t1."PRJ_CD" AS "c0"
FROM (SELECT t0."EMP_NO" AS "c0"
FROM "HR"."TBL_EMP" t0) h
JOIN (SELECT DISTINCT t2."EMP_NO" AS "c0", t2."PRJ_ID" AS "c1"
FROM "HR"."EMP_PRJ" t2) t1l ON h."c0" = t1l."c0"
JOIN "HR"."PRJ_HDR" t1 ON t1l."c1" = t1."PRJ_ID") v
WHERE (v."c0" IS NOT NULL) GROUP BY LOWER(v."c0")) a
ORDER BY a."c1"
LIMIT $2::bigint
OFFSET $1::bigint;
-- 1: "0"
-- 2: "10001"
