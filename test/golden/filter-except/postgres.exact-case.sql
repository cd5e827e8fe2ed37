-- page
SELECT t0."EMP_NO", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "HR"."TBL_EMP" t0
WHERE ((t0."GRADE_CD" > $1::"int2" AND (t0."LAST_NM" LIKE $2::text ESCAPE '\') IS NOT TRUE))
ORDER BY t0."EMP_NO"
LIMIT $4::bigint
OFFSET $3::bigint;
-- 1: "3"
-- 2: "S%"
-- 3: "0"
-- 4: "100"

-- count
SELECT COUNT(*)
FROM "HR"."TBL_EMP" t0
WHERE ((t0."GRADE_CD" > $1::"int2" AND (t0."LAST_NM" LIKE $2::text ESCAPE '\') IS NOT TRUE));
-- 1: "3"
-- 2: "S%"
