-- page
SELECT t0."ORD_NO", t0."LINE_NO", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", t0."QTY", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "SALES"."Order Details" t0
WHERE (((t0."ORD_NO" = $1::"int4" AND t0."LINE_NO" = $2::"int2") OR (t0."ORD_NO" = $3::"int4" AND t0."LINE_NO" = $4::"int2")))
ORDER BY t0."ORD_NO", t0."LINE_NO"
LIMIT $6::bigint
OFFSET $5::bigint;
-- 1: "7"
-- 2: "1"
-- 3: "7"
-- 4: "2"
-- 5: "0"
-- 6: "100"

-- count
SELECT COUNT(*)
FROM "SALES"."Order Details" t0
WHERE (((t0."ORD_NO" = $1::"int4" AND t0."LINE_NO" = $2::"int2") OR (t0."ORD_NO" = $3::"int4" AND t0."LINE_NO" = $4::"int2")));
-- 1: "7"
-- 2: "1"
-- 3: "7"
-- 4: "2"
