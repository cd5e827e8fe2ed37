-- entity
SELECT t0."CURR_CD", CONVERT(nvarchar(10), t0."RATE_DT", 23), COALESCE(NULLIF(CONVERT(bigint, SUBSTRING(HASHBYTES('SHA2_256', CONCAT(CONVERT(nvarchar(max), N''), COALESCE(N'=' + CONVERT(nvarchar(max), t0."CURR_CD"), N'-'), N'|', COALESCE(N'=' + CONVERT(nvarchar(10), t0."RATE_DT", 23), N'-'), N'|', COALESCE(N'=' + CONVERT(nvarchar(42), t0."RATE_VAL"), N'-'), N'|', COALESCE(N'=' + CONVERT(varchar(40), t0."SPREAD_VAL", 3), N'-'), N'|')), 1, 7)) & CAST(9007199254740991 AS bigint), 0), CAST(9007199254740991 AS bigint)), CONVERT(nvarchar(42), t0."RATE_VAL"), t0."SPREAD_VAL", (SELECT CONVERT(bigint, MIN_ACTIVE_ROWVERSION()) - 1)
FROM "SALES"."EXC_RATE" t0
WHERE ((t0."CURR_CD" = CONVERT(varchar(8000), @p1 COLLATE Latin1_General_100_CI_AS) AND t0."CURR_CD" = @p1) AND t0."RATE_DT" = CONVERT(date, @p2, 23));
-- 1: "USD"
-- 2: "2024-01-31"
