-- page
SELECT t0."CMP_ID", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", t0."CMP_NM", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "SALES"."CMP_MST" t0
WHERE (t0."CMP_ID" = ANY($1::"int4"[]))
ORDER BY t0."CMP_ID"
LIMIT $3::bigint
OFFSET $2::bigint;
-- 1: "{\"1\",\"2\",\"3\"}"
-- 2: "0"
-- 3: "100"

-- count
SELECT COUNT(*)
FROM "SALES"."CMP_MST" t0
WHERE (t0."CMP_ID" = ANY($1::"int4"[]));
-- 1: "{\"1\",\"2\",\"3\"}"
