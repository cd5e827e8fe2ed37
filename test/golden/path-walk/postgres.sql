-- origin
SELECT (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "HR"."TBL_EMP" t0
WHERE (t0."EMP_NO" = $1::"int4");
-- 1: "1"

-- page
SELECT t0."ORD_NO", t0."LINE_NO", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", t0."QTY", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "SALES"."Order Details" t0
WHERE (EXISTS (SELECT 1
FROM "HR"."TBL_EMP" t1
JOIN "SALES"."CMP_MST" t2 ON t1."COMP_ID" = t2."CMP_ID"
JOIN "SALES"."ORD_HDR" t3 ON t2."CMP_ID" = t3."BILL_TO"
WHERE (t1."EMP_NO" = $1::"int4" AND t0."ORD_NO" = t3."ORD_NO")) AND t0."QTY" > $2::"int4")
ORDER BY t0."ORD_NO", t0."LINE_NO"
LIMIT $4::bigint
OFFSET $3::bigint;
-- 1: "1"
-- 2: "10"
-- 3: "0"
-- 4: "100"

-- count
SELECT COUNT(*)
FROM "SALES"."Order Details" t0
WHERE (EXISTS (SELECT 1
FROM "HR"."TBL_EMP" t1
JOIN "SALES"."CMP_MST" t2 ON t1."COMP_ID" = t2."CMP_ID"
JOIN "SALES"."ORD_HDR" t3 ON t2."CMP_ID" = t3."BILL_TO"
WHERE (t1."EMP_NO" = $1::"int4" AND t0."ORD_NO" = t3."ORD_NO")) AND t0."QTY" > $2::"int4");
-- 1: "1"
-- 2: "10"
