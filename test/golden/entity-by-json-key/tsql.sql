-- entity
SELECT t0."CURR_CD", CONVERT(varchar(10), t0."RATE_DT", 23), CONVERT(varchar(42), t0."RATE_VAL"), t0."SPREAD_VAL", CONVERT(bigint, @@DBTS)
FROM "SALES"."EXC_RATE" t0
WHERE (t0."CURR_CD" = @p1 AND t0."RATE_DT" = CONVERT(date, @p2, 23));
-- 1: "USD"
-- 2: "2024-01-31"
