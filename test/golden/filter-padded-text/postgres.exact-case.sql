-- page
SELECT t0."EMP_NO", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "HR"."TBL_EMP" t0
LEFT JOIN "HR"."TBL_DEPT" t1 ON t0."DEPT_CD" = t1."DEPT_CD"
WHERE (t1."DEPT_CD" = $1::"bpchar")
ORDER BY t0."EMP_NO"
LIMIT $3::bigint
OFFSET $2::bigint;
-- 1: "IT"
-- 2: "0"
-- 3: "100"

-- count
SELECT COUNT(*)
FROM "HR"."TBL_EMP" t0
LEFT JOIN "HR"."TBL_DEPT" t1 ON t0."DEPT_CD" = t1."DEPT_CD"
WHERE (t1."DEPT_CD" = $1::"bpchar");
-- 1: "IT"
