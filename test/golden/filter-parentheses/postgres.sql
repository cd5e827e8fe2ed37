-- page
SELECT t0."EMP_NO", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "HR"."TBL_EMP" t0
WHERE ((t0."GRADE_CD" = $1::"int2" OR (t0."GRADE_CD" = $2::"int2" AND t0."ACTIVE_FL" = $3::"bool")))
ORDER BY t0."EMP_NO"
LIMIT $5::bigint
OFFSET $4::bigint;
-- 1: "1"
-- 2: "2"
-- 3: "true"
-- 4: "0"
-- 5: "100"

-- count
SELECT COUNT(*)
FROM "HR"."TBL_EMP" t0
WHERE ((t0."GRADE_CD" = $1::"int2" OR (t0."GRADE_CD" = $2::"int2" AND t0."ACTIVE_FL" = $3::"bool")));
-- 1: "1"
-- 2: "2"
-- 3: "true"

-- together with the same
SELECT s.*, k.o FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) WITH ORDINALITY AS k(v1, v2, v3, v4, v5, o)
CROSS JOIN LATERAL (SELECT t0."EMP_NO", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "HR"."TBL_EMP" t0
WHERE ((t0."GRADE_CD" = k.v1::"int2" OR (t0."GRADE_CD" = k.v2::"int2" AND t0."ACTIVE_FL" = k.v3::"bool")))
ORDER BY t0."EMP_NO"
LIMIT k.v5::bigint
OFFSET k.v4::bigint) s;
-- 1: "{\"1\",\"1\"}"
-- 2: "{\"2\",\"2\"}"
-- 3: "{\"true\",\"true\"}"
-- 4: "{\"0\",\"0\"}"
-- 5: "{\"100\",\"100\"}"
