-- page
SELECT t0."EMP_NO", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "HR"."TBL_EMP" t0
WHERE (NOT (t0."GRADE_CD" <> t0."GRADE_CD"))
ORDER BY t0."EMP_NO"
LIMIT $2::bigint
OFFSET $1::bigint;
-- 1: "0"
-- 2: "100"

-- count
SELECT COUNT(*)
FROM "HR"."TBL_EMP" t0
WHERE (NOT (t0."GRADE_CD" <> t0."GRADE_CD"));
