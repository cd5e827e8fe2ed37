-- page
SELECT t0."EMP_NO", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "HR"."TBL_EMP" t0
WHERE ((t0."LAST_NM" = $1::"varchar" AND t0."GRADE_CD" = ANY($2::"int2"[]) AND t0."ACTIVE_FL" = $3::"bool"))
ORDER BY t0."EMP_NO"
LIMIT $5::bigint
OFFSET $4::bigint;
-- 1: "O'Reilly"
-- 2: "{\"1\",\"2\"}"
-- 3: "true"
-- 4: "0"
-- 5: "100"

-- count
SELECT COUNT(*)
FROM "HR"."TBL_EMP" t0
WHERE ((t0."LAST_NM" = $1::"varchar" AND t0."GRADE_CD" = ANY($2::"int2"[]) AND t0."ACTIVE_FL" = $3::"bool"));
-- 1: "O'Reilly"
-- 2: "{\"1\",\"2\"}"
-- 3: "true"
