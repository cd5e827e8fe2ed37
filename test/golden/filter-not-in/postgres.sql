-- page
SELECT t0."CMP_ID", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "SALES"."CMP_MST" t0
WHERE ((NOT (CASE WHEN t0."CRED_LIM" IN ('NaN'::"numeric") THEN NULL ELSE t0."CRED_LIM" END = ANY($1::"numeric"[])) AND NOT ((t0."LAT_DEG" = $2::"float8" OR t0."LAT_DEG" IN ('Infinity'::"float8", 'NaN'::"float8", '-Infinity'::"float8")))))
ORDER BY t0."CMP_ID"
LIMIT $4::bigint
OFFSET $3::bigint;
-- 1: "{\"0\"}"
-- 2: "100"
-- 3: "0"
-- 4: "100"

-- count
SELECT COUNT(*)
FROM "SALES"."CMP_MST" t0
WHERE ((NOT (CASE WHEN t0."CRED_LIM" IN ('NaN'::"numeric") THEN NULL ELSE t0."CRED_LIM" END = ANY($1::"numeric"[])) AND NOT ((t0."LAT_DEG" = $2::"float8" OR t0."LAT_DEG" IN ('Infinity'::"float8", 'NaN'::"float8", '-Infinity'::"float8")))));
-- 1: "{\"0\"}"
-- 2: "100"
