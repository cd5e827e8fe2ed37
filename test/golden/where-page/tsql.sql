-- page
SELECT t0."EMP_NO", t0."REC_VER", t0."MOD_DT", t0."LAST_NM", t1."CMP_ID", ISNULL(t1."REC_VER", 0), t1."MOD_DT", t1."CMP_NM", (SELECT CONVERT(bigint, MIN_ACTIVE_ROWVERSION()) - 1)
FROM "HR"."TBL_EMP" t0
LEFT JOIN "SALES"."CMP_MST" t1 ON t0."COMP_ID" = t1."CMP_ID" AND t1."IS_CUST" = @p1
WHERE (t0."ACTIVE_FL" = @p2 AND t1."CMP_NM" LIKE @p3)
ORDER BY t0."EMP_NO"
OFFSET @p4 ROWS FETCH NEXT @p5 ROWS ONLY OPTION (OPTIMIZE FOR (@p4 = 0, @p5 = 100));
-- 1: "true"
-- 2: "true"
-- 3: "Ac%"
-- 4: "0"
-- 5: "2"

-- count
SELECT COUNT_BIG(*)
FROM "HR"."TBL_EMP" t0
LEFT JOIN "SALES"."CMP_MST" t1 ON t0."COMP_ID" = t1."CMP_ID" AND t1."IS_CUST" = @p1
WHERE (t0."ACTIVE_FL" = @p2 AND t1."CMP_NM" LIKE @p3);
-- 1: "true"
-- 2: "true"
-- 3: "Ac%"
