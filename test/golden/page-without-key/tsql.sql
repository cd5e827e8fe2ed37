-- page
SELECT COALESCE(NULLIF(CONVERT(bigint, SUBSTRING(HASHBYTES('SHA2_256', CONCAT(CONVERT(nvarchar(max), N''), COALESCE(N'=' + CONVERT(nvarchar(27), t0."EVT_DT", 126), N'-'), N'|', COALESCE(N'=' + CONVERT(varchar(20), t0."SEV_CD"), N'-'), N'|', COALESCE(N'=' + CONVERT(nvarchar(max), t0."SRC_NM"), N'-'), N'|', COALESCE(N'=' + CONVERT(varchar(20), t0."EMP_NO"), N'-'), N'|', COALESCE(N'=' + CONVERT(nvarchar(max), t0."MSG_TX"), N'-'), N'|')), 1, 7)) & CAST(9007199254740991 AS bigint), 0), CAST(9007199254740991 AS bigint)), CONVERT(nvarchar(27), t0."EVT_DT", 126), t0."SEV_CD", t0."SRC_NM", t0."MSG_TX", t0."EMP_NO", (SELECT CONVERT(bigint, MIN_ACTIVE_ROWVERSION()) - 1)
FROM "HR"."EVT_LOG" t0
ORDER BY t0."EVT_DT", t0."SEV_CD", t0."SRC_NM", t0."EMP_NO", t0."MSG_TX"
OFFSET @p1 ROWS FETCH NEXT @p2 ROWS ONLY OPTION (OPTIMIZE FOR (@p1 = 0, @p2 = 100));
-- 1: "0"
-- 2: "5"

-- count
SELECT COUNT_BIG(*)
FROM "HR"."EVT_LOG" t0;
