-- values
SELECT a."c0", a."c1"
FROM (SELECT COUNT(*) AS "c0", SUM(v."c0") AS "c1"
FROM (SELECT t2."GRADE_CD" AS "c0"
FROM (SELECT t0."CMP_ID" AS "c0"
FROM "SALES"."CMP_MST" t0
ORDER BY t0."CMP_ID"
LIMIT $2::bigint
OFFSET $1::bigint) h
JOIN "HR"."TBL_EMP" t1 ON h."c0" = t1."COMP_ID"
LEFT JOIN "HR"."TBL_EMP" t2 ON t1."MGR_NO" = t2."EMP_NO") v
WHERE v."c0" IS NOT NULL) a;
-- 1: "0"
-- 2: "3"
