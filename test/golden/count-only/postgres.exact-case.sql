-- page
SELECT t0."ORD_NO", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "SALES"."ORD_HDR" t0
LEFT JOIN "SALES"."CMP_MST" t1 ON t0."BILL_TO" = t1."CMP_ID"
LEFT JOIN "SALES"."CTRY_REF" t2 ON t1."CTRY_CD" = t2."CTRY_CD"
WHERE (t2."CTRY_CD" = $1::"bpchar")
ORDER BY t0."ORD_NO"
LIMIT $3::bigint
OFFSET $2::bigint;
-- 1: "FR"
-- 2: "0"
-- 3: "0"

-- count
SELECT COUNT(*)
FROM "SALES"."ORD_HDR" t0
LEFT JOIN "SALES"."CMP_MST" t1 ON t0."BILL_TO" = t1."CMP_ID"
LEFT JOIN "SALES"."CTRY_REF" t2 ON t1."CTRY_CD" = t2."CTRY_CD"
WHERE (t2."CTRY_CD" = $1::"bpchar");
-- 1: "FR"
