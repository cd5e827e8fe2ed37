-- page
SELECT t0."ORD_NO", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "SALES"."ORD_HDR" t0
LEFT JOIN "HR"."TBL_EMP" t1 ON t0."REP_NO" = t1."EMP_NO"
LEFT JOIN "SALES"."CMP_MST" t2 ON t1."COMP_ID" = t2."CMP_ID"
WHERE (EXISTS (SELECT 1
FROM "HR"."TBL_EMP" t3
WHERE (t3."COMP_ID" = t2."CMP_ID" AND t3."EMP_NO" = $1::"int4")))
ORDER BY t0."ORD_NO"
LIMIT $3::bigint
OFFSET $2::bigint;
-- 1: "1"
-- 2: "0"
-- 3: "100"

-- count
SELECT COUNT(*)
FROM "SALES"."ORD_HDR" t0
LEFT JOIN "HR"."TBL_EMP" t1 ON t0."REP_NO" = t1."EMP_NO"
LEFT JOIN "SALES"."CMP_MST" t2 ON t1."COMP_ID" = t2."CMP_ID"
WHERE (EXISTS (SELECT 1
FROM "HR"."TBL_EMP" t3
WHERE (t3."COMP_ID" = t2."CMP_ID" AND t3."EMP_NO" = $1::"int4")));
-- 1: "1"
