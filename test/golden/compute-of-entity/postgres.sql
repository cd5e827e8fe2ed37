-- origin
SELECT (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "HR"."TBL_EMP" t0
WHERE (t0."EMP_NO" = $1::"int4");
-- 1: "1"

-- values
SELECT a."c0"
FROM (SELECT COUNT(*) AS "c0"
FROM (SELECT t0."GRADE_CD" AS "c0"
FROM "HR"."TBL_EMP" t0
WHERE (t0."EMP_NO" = $1::"int4")) v
WHERE v."c0" IS NOT NULL) a;
-- 1: "1"
