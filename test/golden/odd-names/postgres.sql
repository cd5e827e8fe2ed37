-- page
SELECT t0."ORD_NO", t0."LINE_NO", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", t0."DISC]PCT", t1."ORD_NO", COALESCE(NULLIF(t1."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t1."MOD_DT", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "SALES"."Order Details" t0
LEFT JOIN "SALES"."ORD_HDR" t1 ON t0."ORD_NO" = t1."ORD_NO"
WHERE ((t0."DISC]PCT" > $1::"numeric" AND t0."DISC]PCT" < 'NaN'::"numeric"))
ORDER BY t0."ORD_NO", t0."LINE_NO"
LIMIT $3::bigint
OFFSET $2::bigint;
-- 1: "12.5"
-- 2: "0"
-- 3: "100"

-- count
SELECT COUNT(*)
FROM "SALES"."Order Details" t0
WHERE ((t0."DISC]PCT" > $1::"numeric" AND t0."DISC]PCT" < 'NaN'::"numeric"));
-- 1: "12.5"
