-- values
SELECT a."c0"
FROM (SELECT v."c0" AS "c0"
FROM (SELECT t0."BIRTH_DT" AS "c0"
FROM "HR"."TBL_EMP" t0
WHERE (t0."GRADE_CD" = $1::"int2")) v
WHERE (v."c0" IS NOT NULL) GROUP BY v."c0") a
ORDER BY a."c0"
LIMIT $3::bigint
OFFSET $2::bigint;
-- 1: "3"
-- 2: "2"
-- 3: "10001"
