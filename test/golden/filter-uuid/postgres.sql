-- page
SELECT t0."DOC_ID", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "SALES"."DOC_STORE" t0
WHERE (t0."DOC_ID" = $1::"uuid")
ORDER BY t0."DOC_ID"
LIMIT $3::bigint
OFFSET $2::bigint;
-- 1: "c0ffee00-0000-4000-8000-000000000001"
-- 2: "0"
-- 3: "100"

-- count
SELECT COUNT(*)
FROM "SALES"."DOC_STORE" t0
WHERE (t0."DOC_ID" = $1::"uuid");
-- 1: "c0ffee00-0000-4000-8000-000000000001"

-- together with the same
SELECT s.*, k.o FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS k(v1, v2, v3, o)
CROSS JOIN LATERAL (SELECT t0."DOC_ID", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "SALES"."DOC_STORE" t0
WHERE (t0."DOC_ID" = k.v1::"uuid")
ORDER BY t0."DOC_ID"
LIMIT k.v3::bigint
OFFSET k.v2::bigint) s;
-- 1: "{\"c0ffee00-0000-4000-8000-000000000001\",\"c0ffee00-0000-4000-8000-000000000001\"}"
-- 2: "{\"0\",\"0\"}"
-- 3: "{\"100\",\"100\"}"
