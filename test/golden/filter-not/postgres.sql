-- page
SELECT t0."EMP_NO", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "HR"."TBL_EMP" t0
WHERE ((NOT (t0."GRADE_CD" > $1::"int2") AND NOT (t0."BIRTH_DT" IS NULL)))
ORDER BY t0."EMP_NO"
LIMIT $3::bigint
OFFSET $2::bigint;
-- 1: "3"
-- 2: "0"
-- 3: "100"

-- count
SELECT COUNT(*)
FROM "HR"."TBL_EMP" t0
WHERE ((NOT (t0."GRADE_CD" > $1::"int2") AND NOT (t0."BIRTH_DT" IS NULL)));
-- 1: "3"
