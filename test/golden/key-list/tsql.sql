-- page
SELECT t0."CMP_ID", t0."REC_VER", t0."MOD_DT", t0."CMP_NM", (SELECT CONVERT(bigint, MIN_ACTIVE_ROWVERSION()) - 1)
FROM "SALES"."CMP_MST" t0
WHERE (t0."CMP_ID" IN (@p1, @p2, @p3))
ORDER BY t0."CMP_ID"
OFFSET @p4 ROWS FETCH NEXT @p5 ROWS ONLY OPTION (OPTIMIZE FOR (@p4 = 0, @p5 = 100));
-- 1: "1"
-- 2: "2"
-- 3: "3"
-- 4: "0"
-- 5: "100"

-- count
SELECT COUNT_BIG(*)
FROM "SALES"."CMP_MST" t0
WHERE (t0."CMP_ID" IN (@p1, @p2, @p3));
-- 1: "1"
-- 2: "2"
-- 3: "3"
