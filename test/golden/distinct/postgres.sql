-- values
SELECT a."c0"
FROM (SELECT v."c0" AS "c0"
FROM (SELECT t0."GRADE_CD" AS "c0"
FROM "HR"."TBL_EMP" t0) v
WHERE (v."c0" IS NOT NULL) GROUP BY v."c0") a
ORDER BY a."c0"
LIMIT $2::bigint
OFFSET $1::bigint;
-- 1: "0"
-- 2: "5"
