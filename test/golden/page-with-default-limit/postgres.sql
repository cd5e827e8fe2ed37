-- page
SELECT t0."PRD_ID", COALESCE(NULLIF(t0.xmin::text::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", t0."PRD_NM", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "SALES"."PRD_MST" t0
ORDER BY t0."PRD_ID"
LIMIT $2::bigint
OFFSET $1::bigint;
-- 1: "0"
-- 2: "100"

-- count
SELECT COUNT(*)
FROM "SALES"."PRD_MST" t0;
