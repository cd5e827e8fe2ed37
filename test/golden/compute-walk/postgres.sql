-- origin
SELECT (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "SALES"."CMP_MST" t0
WHERE (t0."CMP_ID" = $1::"int4");
-- 1: "1"

-- values
SELECT a."c0", a."c1"
FROM (SELECT COUNT(*) AS "c0", MIN(v."c0") AS "c1"
FROM (SELECT t0."GRADE_CD" AS "c0"
FROM "HR"."TBL_EMP" t0
WHERE (EXISTS (SELECT 1
FROM "SALES"."CMP_MST" t1
WHERE (t1."CMP_ID" = $1::"int4" AND t0."COMP_ID" = t1."CMP_ID")))) v
WHERE v."c0" IS NOT NULL) a;
-- 1: "1"
