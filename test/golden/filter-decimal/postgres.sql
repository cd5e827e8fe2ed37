-- page
SELECT t0."ORD_NO", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "SALES"."ORD_HDR" t0
WHERE ((t0."TOT_AMT" > $1::"numeric" AND t0."TOT_AMT" < 'NaN'::"numeric"))
ORDER BY t0."ORD_NO"
LIMIT $3::bigint
OFFSET $2::bigint;
-- 1: "1234.5"
-- 2: "0"
-- 3: "100"

-- count
SELECT COUNT(*)
FROM "SALES"."ORD_HDR" t0
WHERE ((t0."TOT_AMT" > $1::"numeric" AND t0."TOT_AMT" < 'NaN'::"numeric"));
-- 1: "1234.5"
