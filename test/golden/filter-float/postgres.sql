-- page
SELECT t0."PRD_ID", COALESCE(NULLIF(t0.xmin::text::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "SALES"."PRD_MST" t0
WHERE ((t0."WGT_KG" <= $1::"float4" AND t0."WGT_KG" > '-Infinity'::"float4"))
ORDER BY t0."PRD_ID"
LIMIT $3::bigint
OFFSET $2::bigint;
-- 1: "0.1"
-- 2: "0"
-- 3: "100"

-- count
SELECT COUNT(*)
FROM "SALES"."PRD_MST" t0
WHERE ((t0."WGT_KG" <= $1::"float4" AND t0."WGT_KG" > '-Infinity'::"float4"));
-- 1: "0.1"
