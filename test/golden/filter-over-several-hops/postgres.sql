-- page
SELECT t0."EMP_NO", COALESCE(NULLIF(t0."REC_VER"::bigint & 9007199254740991, 0), 9007199254740991), t0."MOD_DT", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
FROM "HR"."TBL_EMP" t0
WHERE (EXISTS (SELECT 1
FROM "HR"."EMP_PRJ" t2
JOIN "HR"."PRJ_HDR" t1 ON t2."PRJ_ID" = t1."PRJ_ID"
LEFT JOIN "SALES"."CMP_MST" t3 ON t1."CUST_ID" = t3."CMP_ID"
WHERE (t2."EMP_NO" = t0."EMP_NO" AND EXISTS (SELECT 1
FROM "SALES"."ORD_HDR" t4
WHERE (t4."BILL_TO" = t3."CMP_ID" AND (t4."TOT_AMT" > $1::"numeric" AND t4."TOT_AMT" < 'NaN'::"numeric"))))))
ORDER BY t0."EMP_NO"
LIMIT $3::bigint
OFFSET $2::bigint;
-- 1: "100000"
-- 2: "0"
-- 3: "100"

-- count
SELECT COUNT(*)
FROM "HR"."TBL_EMP" t0
WHERE (EXISTS (SELECT 1
FROM "HR"."EMP_PRJ" t2
JOIN "HR"."PRJ_HDR" t1 ON t2."PRJ_ID" = t1."PRJ_ID"
LEFT JOIN "SALES"."CMP_MST" t3 ON t1."CUST_ID" = t3."CMP_ID"
WHERE (t2."EMP_NO" = t0."EMP_NO" AND EXISTS (SELECT 1
FROM "SALES"."ORD_HDR" t4
WHERE (t4."BILL_TO" = t3."CMP_ID" AND (t4."TOT_AMT" > $1::"numeric" AND t4."TOT_AMT" < 'NaN'::"numeric"))))));
-- 1: "100000"
