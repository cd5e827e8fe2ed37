-- page
SELECT t0."CMP_ID", COALESCE(NULLIF(CONVERT(bigint, SUBSTRING(HASHBYTES('SHA2_256', CONCAT(CONVERT(nvarchar(max), N''), COALESCE(N'=' + CONVERT(varchar(20), t0."CMP_ID"), N'-'), N'|', COALESCE(N'=' + CONVERT(nvarchar(max), t0."CMP_NM"), N'-'), N'|', COALESCE(N'=' + CONVERT(varchar(20), t0."ORD_CNT"), N'-'), N'|', COALESCE(N'=' + CONVERT(nvarchar(42), t0."TURN_AMT"), N'-'), N'|', COALESCE(N'=' + CONVERT(nvarchar(10), t0."LAST_DT", 23), N'-'), N'|')), 1, 7)) & CAST(9007199254740991 AS bigint), 0), CAST(9007199254740991 AS bigint)), t0."CMP_ID", t0."CMP_NM", t0."ORD_CNT", CONVERT(nvarchar(42), t0."TURN_AMT"), CONVERT(nvarchar(10), t0."LAST_DT", 23), (SELECT CONVERT(bigint, MIN_ACTIVE_ROWVERSION()) - 1)
FROM "SALES"."V_CMP_TURN" t0
WHERE (t0."TURN_AMT" > CONVERT(decimal(19,4), @p1))
ORDER BY t0."TURN_AMT" DESC, t0."CMP_ID"
OFFSET @p2 ROWS FETCH NEXT @p3 ROWS ONLY OPTION (OPTIMIZE FOR (@p2 = 0, @p3 = 100));
-- 1: "1000"
-- 2: "0"
-- 3: "100"

-- count
SELECT COUNT_BIG(*)
FROM "SALES"."V_CMP_TURN" t0
WHERE (t0."TURN_AMT" > CONVERT(decimal(19,4), @p1));
-- 1: "1000"
