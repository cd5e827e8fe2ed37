-- values
SELECT a."c0", a."c1"
FROM (SELECT COUNT(*) AS "c0", SUM(v."c0") AS "c1"
FROM (SELECT t0."GRADE_CD" AS "c0"
FROM "HR"."TBL_EMP" t0
LEFT JOIN "SALES"."CMP_MST" t1 ON t0."COMP_ID" = t1."CMP_ID"
WHERE (t1."CITY_NM" = $1::"varchar")
ORDER BY t0."LAST_NM" DESC, t0."EMP_NO"
LIMIT $3::bigint
OFFSET $2::bigint) v
WHERE v."c0" IS NOT NULL) a;
-- 1: "Lyon"
-- 2: "5"
-- 3: "10"
