-- page
SELECT t0."EMP_NO", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "HR"."TBL_EMP" t0
WHERE (t0."LAST_NM" = $1::"varchar")
ORDER BY t0."EMP_NO"
LIMIT $3::bigint
OFFSET $2::bigint;
-- 1: "S@n*"
-- 2: "0"
-- 3: "100"

-- count
SELECT COUNT(*)
FROM "HR"."TBL_EMP" t0
WHERE (t0."LAST_NM" = $1::"varchar");
-- 1: "S@n*"

-- together with the same
SELECT s.*, k.o FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS k(v1, v2, v3, o)
CROSS JOIN LATERAL (SELECT t0."EMP_NO", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "HR"."TBL_EMP" t0
WHERE (t0."LAST_NM" = k.v1::"varchar")
ORDER BY t0."EMP_NO"
LIMIT k.v3::bigint
OFFSET k.v2::bigint) s;
-- 1: "{\"S@n*\",\"S@n*\"}"
-- 2: "{\"0\",\"0\"}"
-- 3: "{\"100\",\"100\"}"
