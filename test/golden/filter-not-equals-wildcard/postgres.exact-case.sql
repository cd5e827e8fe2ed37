-- page
SELECT t0."EMP_NO", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "HR"."TBL_EMP" t0
WHERE (t0."LAST_NM" NOT LIKE $1::text ESCAPE '\')
ORDER BY t0."EMP_NO"
LIMIT $3::bigint
OFFSET $2::bigint;
-- 1: "S%"
-- 2: "0"
-- 3: "100"

-- count
SELECT COUNT(*)
FROM "HR"."TBL_EMP" t0
WHERE (t0."LAST_NM" NOT LIKE $1::text ESCAPE '\');
-- 1: "S%"
