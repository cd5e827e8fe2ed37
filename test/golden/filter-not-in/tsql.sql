-- page
SELECT t0."CMP_ID", t0."REC_VER", t0."MOD_DT", (SELECT CONVERT(bigint, MIN_ACTIVE_ROWVERSION()) - 1)
FROM "SALES"."CMP_MST" t0
WHERE ((NOT (t0."CRED_LIM" IN (CONVERT(money, @p1), CONVERT(money, @p2), CONVERT(money, @p3))) AND NOT (t0."LAT_DEG" = @p4)))
ORDER BY t0."CMP_ID"
OFFSET @p5 ROWS FETCH NEXT @p6 ROWS ONLY OPTION (OPTIMIZE FOR (@p5 = 0, @p6 = 100));
-- 1: "0"
-- 2: "0"
-- 3: "0"
-- 4: "100"
-- 5: "0"
-- 6: "100"

-- count
SELECT COUNT_BIG(*)
FROM "SALES"."CMP_MST" t0
WHERE ((NOT (t0."CRED_LIM" IN (CONVERT(money, @p1), CONVERT(money, @p2), CONVERT(money, @p3))) AND NOT (t0."LAT_DEG" = @p4)));
-- 1: "0"
-- 2: "0"
-- 3: "0"
-- 4: "100"
