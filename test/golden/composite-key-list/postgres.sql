-- page
SELECT t0."ORD_NO", t0."LINE_NO", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", t0."QTY", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "SALES"."Order Details" t0
WHERE (EXISTS (SELECT 1
FROM (SELECT (e->>0)::int4 AS o, (e->>1)::"int4" AS k0, (e->>2)::"int2" AS k1
FROM json_array_elements($1::json) e
LIMIT json_array_length($1::json)) k
WHERE t0."ORD_NO" = k.k0 AND t0."LINE_NO" = k.k1))
ORDER BY t0."ORD_NO", t0."LINE_NO"
LIMIT $3::bigint
OFFSET $2::bigint;
-- 1: "[[0,\"7\",\"1\"],[1,\"7\",\"2\"]]"
-- 2: "0"
-- 3: "100"

-- count
SELECT COUNT(*)
FROM "SALES"."Order Details" t0
WHERE (EXISTS (SELECT 1
FROM (SELECT (e->>0)::int4 AS o, (e->>1)::"int4" AS k0, (e->>2)::"int2" AS k1
FROM json_array_elements($1::json) e
LIMIT json_array_length($1::json)) k
WHERE t0."ORD_NO" = k.k0 AND t0."LINE_NO" = k.k1));
-- 1: "[[0,\"7\",\"1\"],[1,\"7\",\"2\"]]"
